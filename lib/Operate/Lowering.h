#pragma once
// Lowers the steps of a recipe to nodes of a graph. The range and the number of required low bits are computed for each
// step, so that lanes are as narrow as possible.
#include "Operate/Exactly.h"
#include "Operate/Term.h"

namespace ptxray::machine {

/// The registers for the elements of an operand in memory.
struct MemoryRegisters {
  uint16_t operand;
  std::vector<Place> elements;
};

class Lowering {
public:
  struct Input {
    const Recipe &recipe;
    llvm::ArrayRef<Place> byNode;
    Place carry;
    llvm::ArrayRef<MemoryUse> reads, writes;
    Kept &kept;
  };
  /// `packed` is the number of elements per register that are computed at once; if it is 1, each element has its own
  /// lanes.
  Lowering(const Input &input, ElementType packed) : input(input), recipe(input.recipe), packed(packed) {}
  /// Lowers the recipe. Returns false if part of it needs `evaluate`.
  bool run();
  TermGraph graph;

private:
  using Terms = llvm::SmallVector<Term, 1>; // most steps have one element
  using Args = llvm::ArrayRef<Term>;

  // Computes which bits of each step are needed.
  void findDemand();
  void demand(uint16_t step, unsigned bits) { wanted[step] = std::max(wanted[step], bits); }
  void demandOf(const isa::StepOp op, const RecipeStep &step, unsigned bits);
  std::optional<uint64_t> numberOf(uint16_t step) const;

  // Steps.
  /// Computes the results of a step whose arguments are available.
  void lower(uint16_t number);
  Terms operand(const RecipeStep &step);
  Terms memory(const RecipeStep &step);
  Term element(Place place, const ElementType &type, unsigned index);
  std::optional<Terms> ofElements(const RecipeStep &step);
  std::optional<Terms> ofWords(const RecipeStep &step);
  std::optional<Term> ofLanes(const RecipeStep &step);
  Term everyone();
  NodeId group();
  Term elementwise(const RecipeStep &step, Args args, unsigned bits);
  Term joined(const RecipeStep &source, const Terms &terms);
  Term piece(const Term &whole, const ElementType &type, unsigned first);
  const Term &constantArg(const RecipeStep &step, unsigned arg);

  // Integers.
  Term integers(const RecipeStep &step, Args args, unsigned bits);
  Term ring(isa::StepOp op, const Term &a, const Term &b, unsigned bits);
  Term product(const Term &a, const Term &b, unsigned bits);
  Term shifted(bool isLeft, const Term &a, const Term &by, unsigned bits);
  Term extreme(bool isGreatest, const Term &a, const Term &b, unsigned bits);
  Term quotient(isa::StepOp op, const Term &a, const Term &b);
  Term ofBits(const RecipeStep &step, Args args);
  Term field(const RecipeStep &step, Args args);
  Term insert(const RecipeStep &step, Args args, unsigned bits);
  Term saturated(const RecipeStep &step, const Term &a, unsigned bits);
  unsigned widthFor(const LaneRange &range, unsigned bits, Args args);
  NodeId atWidth(const Term &term, unsigned width);
  unsigned commonWidth(const Term &a, const Term &b, bool &isSigned);
  Lane integerLane(unsigned width, bool isSigned);
  static LaneRange rangeOf(const Term &term);

  // Truth values.
  Term compared(isa::StepOp op, const Term &a, const Term &b);
  Term truths(isa::StepOp op, const Term &a, const Term &b);
  Term negated(const Term &a);
  NodeId maskOf(const Term &term);
  Term choice(const RecipeStep &step, Args args, unsigned bits);
  Term truthValue(const RecipeStep &step, const Term &a);
  Term numberOfTruth(const Term &a);
  Term ones();

  // Floats.
  std::optional<Term> floats(const RecipeStep &step, Args args);
  Term floatExtreme(bool isGreatest, const Term &a, const Term &b, const RecipeStep &step);
  Term unary(Code code, const Term &a);
  Term unaryTruth(const Term &a);
  Term subnormal(const Term &term);
  Term flushed(const RecipeStep &step, const Term &a);
  NodeId exactNode(const ExactWork &work, const std::array<NodeId, 3> &args);
  NodeId flushedNode(NodeId node, const numbers::Format &format);
  Term rounded(const Term &term, const numbers::Format &format, numbers::Rounding rounding);
  Term settled(const Term &term);
  Terms sourcesOf(const Term &term) const {
    return Terms(waiting.begin() + term.firstSource, waiting.begin() + term.firstSource + term.sources);
  }
  Term done(const Term &term, const numbers::Format &format, numbers::Rounding rounding);
  std::optional<Term> exactly(const Term &term, const numbers::Format &format);
  Term exact(const Term &term, const numbers::Format &format, numbers::Rounding rounding);
  NodeId codeOf(const Term &term, const numbers::Format &format);
  Lane floatLane(const numbers::Format &format);
  Term signOf(const RecipeStep &step, const Term &a);
  Term outOfBounds(const Term &a);
  Term withSign(const RecipeStep &step, const Term &a, const Term &isNegative);
  const numbers::Format *commonFormat(const Term &a, const Term &b);
  std::optional<Term> floatChoice(const Term &condition, const Term &a, const Term &b);
  /// Returns the rounding of the formula that a step belongs to.
  numbers::Rounding roundingOf(uint16_t step) const;

  // Results.
  void store(const RecipeResult &result);
  void storeWhole(const RecipeResult &result);
  void storeElements(const RecipeResult &result);
  void storeMemory(const RecipeResult &result);
  void storeTo(Place place, NodeId node, unsigned bits, bool isSigned);
  NodeId storedBits(const RecipeResult &result, unsigned element, unsigned &width);
  NodeId toInteger(const Term &term, const ElementType &type, unsigned &width);
  NodeId approximation(const RecipeResult &result, unsigned element);
  Place placeOf(const RecipeOperand::Register &reg) const;

  template <class T> T fail(T otherwise) {
    hasFailed = true;
    return otherwise;
  }
  Term fail() { return fail(Term::constant(Value())); }

  const Input &input;
  const Recipe &recipe;
  const ElementType packed;
  bool hasFailed = false;
  std::vector<Terms> terms;                      // results of each step
  std::vector<const ExactWork *> exactWorks;     // work done by exact nodes
  Terms waiting;                                 // operations whose result is not rounded yet
  std::vector<unsigned> wanted;                  // number of low bits of each step that are needed; 0 for none
  uint16_t current = 0;                          // the current step
  const numbers::Format *storedFormat = nullptr; // format of the current formula's result
};

} // namespace ptxray::machine
