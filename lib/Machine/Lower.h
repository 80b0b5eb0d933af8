#pragma once
// Lowers the instructions of a body to operations.
#include "Flow/Graph.h"
#include "Machine/Access.h"
#include "Machine/InstructionKinds.h"
#include "Machine/Program.h"

namespace ptxray::machine {

/// State shared by the functions of a program during lowering.
struct ProgramBuilder {
  const ReadModule &module;
  const PlacedVariables &variables; // in global and constant memory
  Program &program;
  InstructionKinds &kinds;
  LoweringOptions how;
  std::map<NameId, const Body *> bodies;
  // Offset of each variable in shared memory, by symbol and name.
  std::map<std::pair<uint32_t, NameId>, uint64_t> shared;
  std::map<NameId, uint64_t> functionAddresses;
};

/// One instruction during lowering.
struct Lowered {
  uint32_t number;
  const Instruction &written;
  const Verdict &verdict;
  llvm::ArrayRef<Operand> nodes;
  InstructionKind &kind;
  const Recipe &recipe; // recipe of its kind; components of vector registers have separate nodes

  const Facts &facts() const { return *verdict.facts; }
  const FormMatch &match() const { return *verdict.match; }
  /// Returns the node of an operand of the form, or -1 if it is omitted.
  int node(llvm::StringRef operand) const {
    const std::optional<unsigned> index = match().findOperand(operand);
    return index ? match().nodeOf[*index] : -1;
  }
  const Action *action(isa::FactKind kind) const {
    for (const Action &one : facts().actions)
      if (one.kind == kind)
        return &one;
    return nullptr;
  }
};

/// Registers, indexed by node of an instruction.
using PlaceList = llvm::SmallVector<Place, 16>;

class BodyLowering {
public:
  BodyLowering(ProgramBuilder &builder, const Body &body, FunctionCode &code)
      : builder(builder), body(body), code(code) {}
  /// Lowers the body. Returns the problem, or an empty string on success.
  std::string lower();

  // Members for handlers of named functions:
  AddressOf addressAt(const Lowered &one, int node);
  /// Returns the register or constant of an operand, with `bits` bits. `index` selects one register of a vector.
  Place placeOf(const Lowered &one, int node, unsigned bits);
  Place placeAt(const Lowered &one, llvm::StringRef operand, unsigned bits) {
    return placeOf(one, one.node(operand), bits);
  }
  /// Returns the handle of a texture, sampler or surface: a register, a variable of the module, or a parameter.
  Place handleOf(const Lowered &one, int node);
  /// Returns a component of a vector register that is used as a whole.
  Place partOf(const Lowered &one, int node, unsigned part);
  Space spaceOfAccess(const Lowered &one, int node) const;
  void emit(Op op) { code.ops.push_back(op); }
  /// Adds an operation with a payload for its handler.
  template <class T> void emit(Handler run, T more) {
    Op op;
    op.run = run;
    op.more = keep(std::move(more));
    emit(op);
  }
  template <class T> const T *keep(T value) {
    auto kept = std::make_shared<const T>(std::move(value));
    code.kept.push_back(kept);
    return kept.get();
  }
  RegisterFile &file() { return code.file; }
  /// Returns whether observers watch accesses, and therefore also operations that order them.
  bool isObserved() const { return builder.how.isObserved; }
  /// Returns the number in the name of the code-generation target: 90 for `sm_90a`.
  unsigned architecture() const { return builder.kinds.architecture(); }

private:
  void parameters();
  bool isEmpty(const CodeBlock &block) const;
  LocalId localAt(const Lowered &one, int node) const;
  /// Returns the location of a register, or of a component of a vector register.
  Place registerOf(LocalId local, unsigned component = 0);
  /// Returns the location of an operand that is a register.
  Place registerAt(const Lowered &one, int node);
  Place sumOf(Place place, int64_t number);
  Place special(LocalId local, unsigned component);
  Place clock(unsigned bits);
  Place addressOfVariable(LocalId local, int64_t offset, unsigned bits);
  struct Variable {
    Space space;
    uint64_t address;
    uint64_t bytes;
  };
  std::optional<Variable> variable(LocalId local);

  void instruction(uint32_t number);
  void compute(const Lowered &one);
  void computeFormulas(const Lowered &one, llvm::ArrayRef<Place> places);
  Compiled compiledOf(const Lowered &one, llvm::ArrayRef<Place> places);
  AtomicAccess atomicOf(const Lowered &one, const Compiled &compiled);
  bool copiesBytes(const Lowered &one);
  void access(const Lowered &one, const MemoryUse &use, bool isWrite);
  Place givenNumber(const MemoryAccess &load);
  MemoryAccess memoryAccess(const Lowered &one, const MemoryUse &use, bool isWrite);
  bool isVector(LocalId local) const;
  Fidelity fidelityOfReading(const Lowered &one) const;
  void noteFlow(const Lowered &one);
  void noteValues(const Lowered &one, size_t firstOp, bool isControl);
  void noteReadFirst();
  void nameRegisters();
  void checkLanes(const Lowered &one);
  void checkDivisors(const Lowered &one);
  Place noteFiniteSources(const Lowered &one);
  void checkFiniteResults(const Lowered &one, Place areFinite);
  void guardOps(uint32_t number, size_t first);
  void refuse(std::string why);
  PlaceList placesByNode(const Lowered &one);
  PlaceList placesWithParts(const Lowered &one, Recipe &recipe);

  void openBlock();
  CodeBlock &closeBlock(Way way, const Lowered *one = nullptr);
  bool control(const Lowered &one);
  void branch(const Lowered &one, const Action &action);
  void call(const Lowered &one, const Action &action);
  Passed passedRegister(LocalId local);
  std::vector<Passed> passed(const Lowered &one, int list, llvm::ArrayRef<Formal> formals);
  void barrier(const Lowered &one, const Action &action);
  void beTogether(const Lowered &one);
  void connect();

  ProgramBuilder &builder;
  const Body &body;
  FunctionCode &code;
  Graph graph;
  std::vector<Place> registers; // indexed by LocalId; width 0 if unused
  // Further components of vector registers, by LocalId and component.
  std::map<std::pair<uint32_t, unsigned>, Place> others;
  std::map<std::pair<NameId, unsigned>, Place> specials;
  std::map<std::pair<uint32_t, NameId>, uint64_t> inFrame; // offset of each variable, by symbol and name
  llvm::DenseMap<uint32_t, uint32_t> labels;               // keyed by LocalId: the instruction after each label
  std::vector<bool> held;                                  // registers that pending operations may use
  std::vector<uint32_t> codeOf;                            // indexed by block of the graph: its first code block
  struct Unconnected {
    uint32_t block;                   // code block that ends with the jump
    uint32_t instruction;             // target instruction
    std::shared_ptr<JumpTable> table; // set if the jump comes from a table
  };
  std::vector<Unconnected> unconnected;
  std::vector<std::pair<uint32_t, BlockId>> parting; // code blocks after which lanes may diverge
};

/// Generates operations that move matrices between memory and registers.
void lowerMove(const Lowered &one, BodyLowering &lowering);
/// Generates operations for a named function. Returns false if there is no function with that name.
bool lowerNamed(llvm::StringRef name, const Lowered &one, BodyLowering &lowering);

} // namespace ptxray::machine
