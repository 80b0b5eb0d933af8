#pragma once
// Visits the blocks of a kernel in order and builds its model. Loops are summarised by unknown values.
#include "Flow/Analyses.h"
#include "Prove/Formula.h"
#include "Prove/Model.h"

namespace ptxray::prove {

/// A visited loop: the values of its registers at the header, unknown at first.
struct WalkedLoop {
  uint32_t header = 0;
  struct Register {
    Term unknown, first, next; // at the header in any iteration; on entry to the loop; after an iteration
  };
  std::vector<Register> registers;
  Term fact = Term::None;      // a 1-bit variable that represents the facts about the iteration
  Term continues = Term::None; // at the header: another iteration follows
  std::vector<Term> exits;     // conditions under which the loop exits
};

/// A load whose result was unknown during the visit.
struct WalkedLoad {
  uint32_t access;
  Term variable;
  unsigned element;
  Term address;
};

class Walk {
public:
  Walk(const Body &body, const ModuleState &module, const machine::KernelEntry &kernel, Model &model,
       const std::map<int, ParameterRange> &ranges);
  void run();
  void findBases();

  std::vector<WalkedLoop> loops; // inner loops precede their enclosing loops
  std::vector<WalkedLoad> loads;
  std::set<NameId> pure; // functions that only compute

private:
  using Registers = std::vector<Term>; // indexed by LocalId; the carry at 0
  void block(BlockId id);
  void enter(BlockId id);
  Registers merged(llvm::ArrayRef<std::pair<const Registers *, Term>> from);
  Term edgeCondition(BlockId from, BlockId to, BlockId root);
  Term pathFrom(BlockId root, BlockId to) const;
  void header(BlockId id);
  void closeLoops();
  void instruction(uint32_t number, Term guard);
  Term predicateOf(uint32_t number);
  void noteControl(uint32_t number, Term predicate);
  bool callsPure(uint32_t number) const;
  void compute(uint32_t number, const Recipe &recipe, FormulaInput &input, size_t firstAccess, Term predicate);
  bool barrier(uint32_t number, Term guard, Term predicate);
  void newSegment(uint32_t block) {
    segment = static_cast<uint32_t>(model.segments.size());
    model.segments.push_back({block});
  }
  void access(uint32_t number, const Access &access, Term guard, const Recipe &recipe, FormulaInput &input);
  Term addressAt(uint32_t number, const Access &access, Memory &memory);
  void loaded(uint32_t number, const Access &access, const Recipe &recipe, uint32_t index, FormulaInput &input);
  Term parameterAt(uint64_t offset, unsigned bits);
  void addBuffer(Term parameter);
  Term baseOf(Term address);
  void splitChoices();
  LocalId localAt(uint32_t number, int node) const;
  Term valueAt(uint32_t number, int node, unsigned part, unsigned bits);
  Term special(LocalId local, llvm::StringRef suffix, uint32_t number);
  Term variableAddress(LocalId local);
  Term fresh(std::string name, unsigned width, Sharing sharing, uint32_t block);
  void assign(uint32_t number, int node, Term bits, bool isSigned, Term predicate);
  void obstacle(uint32_t number, std::string what) { model.obstacles.push_back({number, std::move(what)}); }
  bool convertsAddress(uint32_t number, Term predicate);

  const Body &body;
  const ModuleState &module;
  const machine::KernelEntry &kernel;
  Model &model;
  Terms &terms;
  const std::map<int, ParameterRange> &ranges;
  Analyses analyses;
  const Graph &graph;
  const DominatorTree &dominators;
  const Loops &forest;
  std::vector<Registers> atEnd;       // indexed by block
  std::vector<Term> relative, guards; // indexed by block: condition from its dominator, and from the entry
  std::vector<Term> branchConditions; // indexed by block: condition of the branch at its end
  Registers registers;
  uint32_t segment = 0, current = 0;
  std::map<std::pair<uint32_t, unsigned>, Term> specials, parameters;
  std::map<uint32_t, Term> addresses; // addresses of variables, keyed by name
  Term window = Term::None;           // start of shared memory in the generic address space
  uint32_t counted = 0;
};

} // namespace ptxray::prove
