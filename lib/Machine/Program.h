#pragma once
// A kernel with the functions that it calls, as the machine executes them: blocks of operations without a branch, each
// with one way on.
#include "Machine/Fidelity.h"
#include "Machine/Memory.h"
#include "Module/Program.h"
#include "Operate/Compile.h"
#include "Read/ReadModule.h"
#include "llvm/ADT/DenseMap.h"
#include <deque>
#include <tuple>

namespace ptxray::machine {

/// Some registers: a bit may stand for several of them.
using SlotFilter = uint64_t;
inline SlotFilter filterOf(Slot slot) {
  constexpr uint32_t registerBytes = 128; // of most of them
  return uint64_t(1) << slot / registerBytes % 64;
}

/// State spaces that addresses of a program lie in.
enum class Space : uint8_t { Generic, Global, Shared, Local, Const, Param };

/// Holds the parts that make an address in brackets.
struct AddressOf {
  Place base;         // a register; none: the offset alone
  int64_t offset = 0; // the number that is added to it
  Space space = Space::Generic;
};

/// Payload of a load or a store of a few elements.
struct MemoryAccess {
  AddressOf address;
  uint32_t number = 0;    // among the accesses of the program
  uint32_t bytes = 0;     // the size of all elements together
  uint32_t alignment = 1; // the alignment that it needs
  uint16_t bits = 0;      // the size of one element
  bool isWrite = false;
  bool isUpdate = false;                   // what it writes depends on what was there
  bool isStrong = false;                   // it orders, and does not race with others that do
  bool acquires = false, releases = false; // else it orders by fences
  bool isOfBlock = false;                  // for the threads of its block alone
  bool isUsual = false;                    // a weak one by a register, of elements as wide as their registers
  SlotFilter named = 0;                    // the registers of the elements
  llvm::SmallVector<Place, 4> elements;    // elements of 8 and 16 bits are in the low bits of wider registers
};

/// A special register, which is filled in for each warp.
enum class Special : uint8_t {
  Tid,
  Ntid,
  Ctaid,
  Nctaid,
  LaneId,
  WarpId,
  WarpCount,
  SmId,
  SmCount,
  GridId,
  IsCluster,
  ClusterId,
  ClusterCtaid,
  ClusterCount,
  ClusterNctaid,
  ClusterRank,
  ClusterSize,
  MaskEq,
  MaskLe,
  MaskLt,
  MaskGe,
  MaskGt,
  TotalShared,
  DynamicShared,
  WorkspaceHigh, // the halves of the address of GridState::workspace
  WorkspaceLow,
  Zero
};
struct SpecialRegister {
  Place place;
  Special what;
  uint8_t component; // x, y, z
};

/// Says how control leaves a block of code.
enum class Way : uint8_t {
  Next,
  Jump,  // to the target
  Table, // to one of a list
  Return,
  Exit,
  Trap,
  Call,
  Barrier,  // waits for the threads of a block
  Together, // goes on when the lanes that execute the next instruction together are there
};

inline constexpr uint32_t nowhere = ~0u;

struct CodeBlock {
  uint32_t first = 0, end = 0; // operations
  uint32_t instructions = 0;   // that they and the way on stand for
  uint32_t firstInstruction = 0;
  uint32_t instruction = 0; // the one that the way on is
  Way way = Way::Next;
  bool isNot = false;
  bool isJoin = false;        // lanes that parted may wait here for each other
  bool isComputation = false; // all its operations are, without guards, and it goes on or jumps
  bool isGuarded = false;     // some of its operations are
  bool isFork = false;        // lanes that part here only compute in one block of code, or none, until they meet again
  bool leadsToEffects = true; // it or one that may follow does more than to compute, and to end
  Slot guard = noSlot;        // which lanes go that way; the others go on with the next block
  SlotFilter named = 0;       // the registers that its instructions name
  SlotFilter written = 0;     // and those of them that they write
  uint32_t target = nowhere;  // the block that a Jump goes to
  uint32_t join = nowhere;    // the block in which lanes that part here meet again
  const void *more = nullptr; // a JumpTable, CallSite, BarrierSite, or the Place of the mask of Together
};
static_assert(sizeof(CodeBlock) <= 64, "one of many is found by a shift");

struct JumpTable {
  Place index;
  std::vector<uint32_t> targets;
};
struct BarrierSite {
  enum class Result : uint8_t { None, Count, All, Any };
  Place number, threads;              // threads: none: all of the block
  bool waits = true;                  // else it only arrives
  bool isAligned = false;             // all lanes of a warp come to it together
  bool isRelaxed = false;             // the arrival orders nothing
  isa::Scope scope = isa::Scope::Cta; // a cluster has one barrier, and so has each warpgroup
  Place counted;                      // the predicate
  bool isNot = false;
  Result result = Result::None;
  Place to;
};

struct FunctionCode;
/// A value that is handed to a function or returned.
struct Passed {
  Place place;         // a register or a constant
  uint64_t offset = 0; // else where it lies in the memory of the frame
  uint64_t bytes = 0;
  std::vector<Place> parts; // the components of a register of vector type after the first one
};
struct CallSite {
  NameId name = NameId::None;
  const FunctionCode *callee = nullptr; // null: by address, or one that the machine provides
  Place address;                        // the function that an indirect call goes to
  std::string provided;                 // `vprintf`
  std::vector<Passed> arguments, results;
};

/// The registers that an instruction names.
struct RegisterFlow {
  llvm::ArrayRef<Slot> results, sources, addresses;
  bool isStrict; // no result is defined if a source is not
  bool isOutput; // it stores to memory that others see
};
class RegisterFlows {
public:
  /// There will be no more than so many instructions.
  explicit RegisterFlows(uint32_t instructions = 0) : rows(instructions) {}
  void add(uint32_t instruction, const RegisterFlow &flow);
  RegisterFlow operator[](uint32_t instruction) const;

private:
  struct Row {
    uint32_t first = 0;
    uint16_t results = 0, sources = 0, addresses = 0;
    bool isStrict = false, isOutput = false;
  };
  std::vector<Row> rows; // by instruction
  std::vector<Slot> slots;
};

/// How values pass through an instruction. Registers are given by their numbers in `ValueFlows`.
struct ValueFlow {
  llvm::ArrayRef<uint32_t> results;   // the registers that it writes
  llvm::ArrayRef<uint32_t> data;      // the registers from which results or stored values are computed
  llvm::ArrayRef<uint32_t> addresses; // the registers that select the memory that it accesses
  llvm::ArrayRef<uint32_t> decides;   // the registers that decide something else: sizes, coordinates, masks, numbers
  uint32_t guard = ~0u;               // the predicate before it; ~0: none
  bool mixesLanes = false;            // results of a lane come from registers of other lanes
  bool hasEffects = false;            // it does more than to compute registers
  bool readsShared = false;           // it reads matrices in shared memory, which descriptors describe
  bool readsImage = false;            // it reads a texture or a surface
  bool readsSchedule = false;         // its results depend on which lanes execute together, or on the chip
};
/// The flows of the instructions of a function, which lowering notes if `LoweringOptions::followsValues` is set.
class ValueFlows {
public:
  static constexpr uint32_t none = ~0u;

  void begin(uint32_t instructions) { rows.resize(instructions); }
  void add(uint32_t instruction, const ValueFlow &flow);
  ValueFlow operator[](uint32_t instruction) const;
  /// Returns the number of the register at a slot, which is added if it has none.
  uint32_t number(Slot slot);
  /// Returns the number of the register at a slot; none: it is a temporary register or a constant.
  uint32_t find(Slot slot) const {
    return slot / predicateBytes < numberOf.size() ? numberOf[slot / predicateBytes] : none;
  }
  llvm::ArrayRef<Slot> slots() const { return registers; } // by number
  /// Returns the registers that may get values of interest from instructions that name no followed register.
  llvm::ArrayRef<uint32_t> sources() const { return fresh; }

  bool isVague = false; // the function has registers of vector type, whose values are not followed

private:
  static constexpr Slot predicateBytes = 4; // no two registers begin in as many bytes
  struct Row {
    uint32_t first = 0, guard = none;
    uint16_t results = 0, data = 0, addresses = 0, decides = 0;
    bool mixesLanes = false, hasEffects = false, readsShared = false, readsImage = false, readsSchedule = false;
  };
  std::vector<Row> rows;         // by instruction
  std::vector<uint32_t> numbers; // of the registers of all rows
  std::vector<Slot> registers;
  std::vector<uint32_t> fresh;
  std::vector<uint32_t> numberOf; // by slot, divided by the size of a predicate
};

inline constexpr uint64_t guardBytes = 16; // as many as an access has at most

struct FunctionCode {
  const Body *body = nullptr;
  uint32_t number = 0; // among the functions of the program
  NameId name = NameId::None;
  RegisterFile file;
  Place carry;
  std::vector<Op> ops;
  std::vector<CodeBlock> blocks;
  std::vector<SpecialRegister> specials, ofBlocks;         // those that blocks have alike, and the others
  std::vector<std::pair<Place, uint64_t>> frameAddresses;  // registers that hold an address in the frame
  std::vector<std::pair<Place, uint64_t>> sharedAddresses; // or in the shared memory of the block
  std::vector<std::pair<Place, uint64_t>> givenNumbers;    // or what the kernel is given at an offset of its parameters
  std::vector<Passed> parameters, results;
  uint64_t frameBytes = 0;      // local memory of a thread
  std::vector<uint64_t> guards; // where guard zones of `guardBytes` begin in it, which no access may touch
  Kept kept;
  RegisterFlows flows;
  ValueFlows values;                            // empty if values are not followed
  std::vector<std::pair<LocalId, Place>> named; // the registers of the body that are used
  std::vector<Fidelity> fidelity;               // by instruction
  std::vector<Place> readFirst;                 // registers that may be read before they are written
  bool isReadFirstComplete = false;             // else any of them may be

  RegisterFlow flow(uint32_t number) const { return flows[number]; }
  const Instruction &instruction(uint32_t number) const { return body->instruction(number); }
};

/// A parameter of the kernel, or a variable in shared memory.
struct NamedPlace {
  uint64_t offset, bytes;
  std::string name;
};

struct Program {
  std::string refusal; // says why there is none
  const ReadModule *module = nullptr;
  std::deque<FunctionCode> functions; // the kernel first
  llvm::DenseMap<uint32_t, FunctionCode *> byName;
  std::map<uint64_t, FunctionCode *> byAddress;
  uint32_t accesses = 0;
  uint64_t sharedBytes = 0;   // of the variables, as they would lie one after the other
  uint64_t dynamicShared = 0; // where dynamic memory begins here: there are guard zones between variables
  std::vector<NamedPlace> parameters, shared;
  uint64_t parameterBytes = 0;
  ptxray::KernelHead head;
  bool needsOrder = false; // what blocks do may depend on which of them is first: atomic operations, what is printed
};

/// The places of the variables of the module.
struct PlacedVariable {
  Space space;
  uint64_t address;
  uint64_t bytes;
};
/// Each is found by the number of its symbol, if a body declares it, else by 0, and by its name.
using PlacedVariables = std::map<std::pair<uint32_t, NameId>, PlacedVariable>;

/// Returns the addresses of the functions that have bodies, the same for all kernels of a module.
std::map<NameId, uint64_t> functionAddressesOf(const ReadModule &module);

class InstructionKinds;
struct LoweringOptions {
  bool checksNumbers = false; // fault where an infinity or a NaN results from finite numbers, or a divisor is zero
  bool partsAccesses = false; // end a block of code after each access to memory
  bool isObserved = false;    // observers want accesses to memory
  bool followsValues = false; // note `FunctionCode::values`
  /// Returns the handlers of usual accesses that are observed; null: those that report to every observer.
  Handler (*observedAccess)(const MemoryAccess &) = nullptr;

  bool operator<(const LoweringOptions &other) const { return key() < other.key(); }

private:
  std::tuple<bool, bool, bool, bool, bool> key() const {
    return {checksNumbers, partsAccesses, isObserved, followsValues, observedAccess != nullptr};
  }
};
/// `kinds` are those of the module.
std::unique_ptr<Program> lower(const ReadModule &module, const PlacedVariables &variables, llvm::StringRef kernel,
                               InstructionKinds &kinds, LoweringOptions how = {});

} // namespace ptxray::machine
