#pragma once
// Makes operations of the instructions of a body.
#include "Flow/Graph.h"
#include "Machine/Access.h"
#include "Machine/InstructionKinds.h"
#include "Machine/Program.h"

namespace ptxray::machine {

/// Holds what the functions of a program share while they are lowered.
struct ProgramBuilder {
  const ReadModule &module;
  const PlacedVariables &variables; // those in global and constant memory
  Program &program;
  InstructionKinds &kinds;
  LoweringOptions how;
  std::map<NameId, const Body *> bodies;
  std::map<std::pair<uint32_t, NameId>, uint64_t> shared; // the offset of each, by symbol and name
  std::map<NameId, uint64_t> functionAddresses;
};

/// One instruction while it is lowered.
struct Lowered {
  uint32_t number;
  const Instruction &written;
  const Verdict &verdict;
  llvm::ArrayRef<Operand> nodes;
  InstructionKind &kind;
  const Recipe &recipe; // of its kind; where this has vectors, one in which their components are nodes of their own

  const Facts &facts() const { return *verdict.facts; }
  const FormMatch &match() const { return *verdict.match; }
  /// Returns the node of an operand of the form; -1: it is not written.
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

/// Places by the nodes of an instruction.
using PlaceList = llvm::SmallVector<Place, 16>;

class BodyLowering {
public:
  BodyLowering(ProgramBuilder &builder, const Body &body, FunctionCode &code)
      : builder(builder), body(body), code(code) {}
  /// Returns why it cannot be done, or an empty text.
  std::string lower();

  // Named functions use these:
  AddressOf addressAt(const Lowered &one, int node);
  /// Returns the register or constant that an operand is, of as many bits; of several the one at `index`.
  Place placeOf(const Lowered &one, int node, unsigned bits);
  Place placeAt(const Lowered &one, llvm::StringRef operand, unsigned bits) {
    return placeOf(one, one.node(operand), bits);
  }
  /// Returns the handle of a texture, a sampler or a surface: a register, a variable of the module, a parameter.
  Place handleOf(const Lowered &one, int node);
  /// Returns a component of a register of vector type that is written as a whole.
  Place partOf(const Lowered &one, int node, unsigned part);
  Space spaceOfAccess(const Lowered &one, int node) const;
  void emit(Op op) { code.ops.push_back(op); }
  /// An operation whose handler needs what is handed over.
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
  /// Returns whether observers watch accesses, and so what orders them.
  bool isObserved() const { return builder.how.isObserved; }
  /// Returns the number of the target that code is made for: 90 of `sm_90a`.
  unsigned architecture() const { return builder.kinds.architecture(); }

private:
  void parameters();
  bool isEmpty(const CodeBlock &block) const;
  LocalId localAt(const Lowered &one, int node) const;
  /// Returns the place of a register, or of a component of one of vector type.
  Place registerOf(LocalId local, unsigned component = 0);
  /// The same of an operand that is one.
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
  std::vector<Place> registers;                          // the place of each, by LocalId; of 0 bits: it is not used
  std::map<std::pair<uint32_t, unsigned>, Place> others; // likewise of components but the first, by these
  std::map<std::pair<NameId, unsigned>, Place> specials;
  std::map<std::pair<uint32_t, NameId>, uint64_t> inFrame; // the offset of each, by symbol and name
  llvm::DenseMap<uint32_t, uint32_t> labels;               // the instruction after each, by LocalId
  std::vector<bool> held;                                  // registers that operations hold while they are in flight
  std::vector<uint32_t> codeOf;                            // the first block of code of each block of the graph
  struct Unconnected {
    uint32_t block;                   // the block of code that it ends
    uint32_t instruction;             // the instruction that it goes to
    std::shared_ptr<JumpTable> table; // or one of these
  };
  std::vector<Unconnected> unconnected;
  std::vector<std::pair<uint32_t, BlockId>> parting; // blocks of code after which lanes may part
};

/// Makes operations of a named function; false: there is none of that name.
/// Matrices that are moved between memory and registers.
void lowerMove(const Lowered &one, BodyLowering &lowering);
bool lowerNamed(llvm::StringRef name, const Lowered &one, BodyLowering &lowering);

} // namespace ptxray::machine
