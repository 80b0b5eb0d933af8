#pragma once
// A kernel and the functions that it calls, in executable form: blocks of operations without branches. Each block ends
// with one transfer of control.
#include "Machine/Fidelity.h"
#include "Machine/Memory.h"
#include "Module/Program.h"
#include "Operate/Compile.h"
#include "Read/ReadModule.h"
#include "llvm/ADT/DenseMap.h"
#include <deque>
#include <tuple>

namespace ptxray::machine {

/// A bit set that approximates a set of registers. One bit represents several registers.
using SlotFilter = uint64_t;
inline SlotFilter filterOf(Slot slot) {
  constexpr uint32_t registerBytes = 128; // size of most registers, for all lanes
  return uint64_t(1) << slot / registerBytes % 64;
}

/// State spaces of addresses in a program.
enum class Space : uint8_t { Generic, Global, Shared, Local, Const, Param };

/// The parts of an address in brackets.
struct AddressOf {
  Place base;         // a register; without one, the address is the offset
  int64_t offset = 0; // constant that is added
  Space space = Space::Generic;
};

/// Payload of a load or a store of a few elements.
struct MemoryAccess {
  AddressOf address;
  uint32_t number = 0;    // index among the accesses of the program
  uint32_t bytes = 0;     // size of all elements together
  uint32_t alignment = 1; // required alignment
  uint16_t bits = 0;      // size of one element
  bool isWrite = false;
  bool isUpdate = false;                   // part of an atomic operation
  bool isCombined = false;                 // the written value depends on the old value
  bool isStrong = false;                   // a strong access, which does not race with other strong accesses
  bool acquires = false, releases = false; // whether the access itself orders others; otherwise, fences do
  bool isOfBlock = false;                  // the scope of the access is the block
  bool isUsual = false; // a weak access through a register, whose elements are as wide as their registers
  SlotFilter named = 0; // registers that hold the elements
  llvm::SmallVector<Place, 4> elements; // elements of 8 and 16 bits use the low bits of wider registers
};

/// A special register, whose value is set for each warp.
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
  WorkspaceHigh, // upper half of GridState::workspace
  WorkspaceLow,
  Zero
};
struct SpecialRegister {
  Place place;
  Special what;
  uint8_t component; // x, y, z
};

/// How execution continues after a code block.
enum class Way : uint8_t {
  Next,
  Jump,  // to `target`
  Table, // to an entry of a table
  Return,
  Exit,
  Trap,
  Call,
  Barrier,  // waits for the threads of a block
  Together, // waits for the lanes that execute the next instruction together
};

inline constexpr uint32_t nowhere = ~0u;

struct CodeBlock {
  uint32_t first = 0, end = 0; // range of operations
  uint32_t instructions = 0;   // number of source instructions, including the transfer of control
  uint32_t firstInstruction = 0;
  uint32_t instruction = 0; // index of the instruction that transfers control
  Way way = Way::Next;
  bool isNot = false;
  bool isJoin = false;        // diverged lanes may wait here for each other
  bool isComputation = false; // all operations are unguarded computations, and the block continues or jumps
  bool isGuarded = false;     // some of its operations have guards
  bool isFork = false; // lanes that diverge here execute at most one block of pure computations before they reconverge
  bool leadsToEffects = true; // false if the block and its successors only compute and end
  Slot guard = noSlot;        // lanes for which this is true take the transfer; the others continue with the next block
  SlotFilter named = 0;       // registers that its instructions use
  SlotFilter written = 0;     // registers that its instructions write
  uint32_t target = nowhere;  // target of a Jump
  uint32_t join = nowhere;    // code block at which lanes that diverge here reconverge
  const void *more = nullptr; // a JumpTable, CallSite or BarrierSite, or the Place of the mask of Together
};
static_assert(sizeof(CodeBlock) <= 64, "one of many is found by a shift");

struct JumpTable {
  Place index;
  std::vector<uint32_t> targets;
};
struct BarrierSite {
  enum class Result : uint8_t { None, Count, All, Any };
  Place number, threads;              // threads has 0 bits if all threads of the block participate
  bool waits = true;                  // false for an arrival without waiting
  bool isAligned = false;             // all lanes of a warp arrive together
  bool isRelaxed = false;             // the arrival does not order accesses
  isa::Scope scope = isa::Scope::Cta; // a cluster and each warpgroup have one barrier
  Place counted;                      // the predicate
  bool isNot = false;
  Result result = Result::None;
  Place to;
};

struct FunctionCode;
/// An argument or a result of a call.
struct Passed {
  Place place;         // a register or a constant
  uint64_t offset = 0; // otherwise its offset in the frame's memory
  uint64_t bytes = 0;
  std::vector<Place> parts; // further components of a vector register
};
struct CallSite {
  NameId name = NameId::None;
  const FunctionCode *callee = nullptr; // null for an indirect call, or for a function that the emulator provides
  Place address;                        // the target of an indirect call
  std::string provided;                 // `vprintf`
  std::vector<Passed> arguments, results;
};

/// The registers that an instruction uses.
struct RegisterFlow {
  llvm::ArrayRef<Slot> results, sources, addresses;
  bool isStrict; // the result is undefined if a source is undefined
  bool isOutput; // stores to memory that others can observe
};
class RegisterFlows {
public:
  /// Constructs an empty table for at most `instructions` instructions.
  explicit RegisterFlows(uint32_t instructions = 0) : rows(instructions) {}
  void add(uint32_t instruction, const RegisterFlow &flow);
  RegisterFlow operator[](uint32_t instruction) const;

private:
  struct Row {
    uint32_t first = 0;
    uint16_t results = 0, sources = 0, addresses = 0;
    bool isStrict = false, isOutput = false;
  };
  std::vector<Row> rows; // indexed by instruction
  std::vector<Slot> slots;
};

/// The flow of values through an instruction. Registers have numbers in `ValueFlows`.
struct ValueFlow {
  llvm::ArrayRef<uint32_t> results;   // registers that it writes
  llvm::ArrayRef<uint32_t> data;      // registers from which results or stored values are computed
  llvm::ArrayRef<uint32_t> addresses; // registers that determine the accessed memory
  llvm::ArrayRef<uint32_t> decides;   // registers that determine anything else: sizes, coordinates, masks, numbers
  uint32_t guard = ~0u;               // the predicate of its guard; ~0 for none
  bool mixesLanes = false;            // results in a lane depend on other lanes
  bool hasEffects = false;            // has effects other than on registers
  bool readsShared = false;           // reads matrices in shared memory through descriptors
  bool readsImage = false;            // reads a texture or a surface
  bool readsSchedule = false;         // results depend on the lanes that execute together, or on the chip
};
/// The value flows of the instructions of a function. Lowering computes them if `LoweringOptions::followsValues` is
/// set.
class ValueFlows {
public:
  static constexpr uint32_t none = ~0u;

  void begin(uint32_t instructions) { rows.resize(instructions); }
  void add(uint32_t instruction, const ValueFlow &flow);
  ValueFlow operator[](uint32_t instruction) const;
  /// Returns the number of the register at a slot. Adds one if it has none.
  uint32_t number(Slot slot);
  /// Returns the number of the register at a slot, or none for a temporary register or a constant.
  uint32_t find(Slot slot) const {
    return slot / predicateBytes < numberOf.size() ? numberOf[slot / predicateBytes] : none;
  }
  llvm::ArrayRef<Slot> slots() const { return registers; } // slots, indexed by number
  /// Returns the registers that may receive values of interest from instructions without a followed register.
  llvm::ArrayRef<uint32_t> sources() const { return fresh; }

  bool isVague = false; // the function has vector registers, whose values are not tracked

private:
  static constexpr Slot predicateBytes = 4; // minimum distance between registers
  struct Row {
    uint32_t first = 0, guard = none;
    uint16_t results = 0, data = 0, addresses = 0, decides = 0;
    bool mixesLanes = false, hasEffects = false, readsShared = false, readsImage = false, readsSchedule = false;
  };
  std::vector<Row> rows;         // indexed by instruction
  std::vector<uint32_t> numbers; // numbers of the registers of all rows
  std::vector<Slot> registers;
  std::vector<uint32_t> fresh;
  std::vector<uint32_t> numberOf; // indexed by slot, divided by the size of a predicate
};

inline constexpr uint64_t guardBytes = 16; // maximum size of an access

struct FunctionCode {
  const Body *body = nullptr;
  uint32_t number = 0; // index among the functions of the program
  NameId name = NameId::None;
  RegisterFile file;
  Place carry;
  std::vector<Op> ops;
  std::vector<CodeBlock> blocks;
  std::vector<SpecialRegister> specials, ofBlocks;        // registers that are equal in all blocks, and all others
  std::vector<std::pair<Place, uint64_t>> frameAddresses; // registers that contain an address in the frame
  // Registers that contain an address in the block's shared memory.
  std::vector<std::pair<Place, uint64_t>> sharedAddresses;
  // Registers that contain a kernel argument, and its offset in the parameter buffer.
  std::vector<std::pair<Place, uint64_t>> givenNumbers;
  std::vector<Passed> parameters, results;
  uint64_t frameBytes = 0;      // local memory per thread
  std::vector<uint64_t> guards; // offsets of guard zones of `guardBytes` bytes in the frame, which no access may touch
  Kept kept;
  RegisterFlows flows;
  ValueFlows values;                            // empty if values are not followed
  std::vector<std::pair<LocalId, Place>> named; // registers of the body that are in use
  std::vector<Fidelity> fidelity;               // indexed by instruction
  std::vector<Place> readFirst;                 // registers that may be read before they are written
  bool isReadFirstComplete = false;             // false if the list is incomplete

  RegisterFlow flow(uint32_t number) const { return flows[number]; }
  const Instruction &instruction(uint32_t number) const { return body->instruction(number); }
};

/// A parameter of the kernel, or a variable in shared memory.
struct NamedPlace {
  uint64_t offset, bytes;
  std::string name;
};

struct Program {
  std::string refusal; // why the kernel could not be lowered; empty on success
  const ReadModule *module = nullptr;
  std::deque<FunctionCode> functions; // the kernel comes first
  llvm::DenseMap<uint32_t, FunctionCode *> byName;
  std::map<uint64_t, FunctionCode *> byAddress;
  uint32_t accesses = 0;
  uint64_t sharedBytes = 0;   // size of the variables without guard zones
  uint64_t dynamicShared = 0; // offset of dynamic memory, after the variables and their guard zones
  std::vector<NamedPlace> parameters, shared;
  uint64_t parameterBytes = 0;
  ptxray::KernelHead head;
  bool needsOrder = false; // results may depend on the order of blocks: atomic operations, printf
};

/// The location of a variable of the module.
struct PlacedVariable {
  Space space;
  uint64_t address;
  uint64_t bytes;
};
/// Keyed by the number of the symbol (0 outside of function bodies) and the name.
using PlacedVariables = std::map<std::pair<uint32_t, NameId>, PlacedVariable>;

/// Returns the addresses of functions with bodies. They are the same for all kernels of a module.
std::map<NameId, uint64_t> functionAddressesOf(const ReadModule &module);

class InstructionKinds;
struct LoweringOptions {
  bool checksNumbers = false; // faults if an infinity or a NaN results from finite numbers, or if a divisor is zero
  bool partsAccesses = false; // ends a code block after each memory access
  bool isObserved = false;    // observers need reports of memory accesses
  bool followsValues = false; // note `FunctionCode::values`
  /// Returns the handlers of usual accesses that are observed. If null, accesses are reported to every observer.
  Handler (*observedAccess)(const MemoryAccess &) = nullptr;

  bool operator<(const LoweringOptions &other) const { return key() < other.key(); }

private:
  std::tuple<bool, bool, bool, bool, bool> key() const {
    return {checksNumbers, partsAccesses, isObserved, followsValues, observedAccess != nullptr};
  }
};
/// Lowers a kernel. `kinds` must belong to the same module.
std::unique_ptr<Program> lower(const ReadModule &module, const PlacedVariables &variables, llvm::StringRef kernel,
                               InstructionKinds &kinds, LoweringOptions how = {});

} // namespace ptxray::machine
