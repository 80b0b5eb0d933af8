#pragma once
// Terms describe how values are computed. Two values with the same term have the same bits for all contents of the
// buffers.
//
// A term is an index into a table in which each combination of operation and arguments occurs once. The constructors
// apply laws that preserve all bits, so values that are equal by these laws have the same term (docs/equal.md). Terms
// of bits describe the contents of registers and memory. Terms of numbers describe the steps of a formula: a number is
// exact, and is rounded when it is stored. All float NaNs are equal, because storing makes them canonical, except those
// of f64.
#include "Equal/Field.h"
#include "Semantics/Recipe.h"
#include "llvm/ADT/DenseMap.h"
#include <map>
#include <vector>

namespace ptxray::equal {

/// The index of a term. `none` stands for a value that does not depend on contents.
using Term = uint32_t;
inline constexpr Term none = 0, unknown = 1;

/// One byte of a term of bits.
struct Ref {
  Term term = none;
  uint32_t byte = 0;
  bool operator==(const Ref &) const = default;
};

struct BitProduct;

struct Node {
  enum class Kind : uint8_t {
    None,
    Unknown,
    Leaf,        // byte `second` of buffer `first`
    Constant,    // bits
    Value,       // a known number: index into the values
    Join,        // bytes of other terms, whose byte numbers are in `first`, four bits each
    Slice,       // bits from `first` on
    Read,        // the number that the bits represent
    Store,       // the bits of a number
    Apply,       // a step of a formula
    Placed,      // byte `first` of a term, shifted left by `second` bits
    Bitwise,     // an exclusive or of products of placed bytes and masks
    Approximate, // an approximation of the GPU; `first` contains its modifiers
    Product,     // an element of a matrix product: the accumulator, then pairs of factors with the types `target` and
                 // `second`; `first` is the model
    Salted,      // a value that depends on the order of threads: like its argument, but equal to no other term
  };
  enum class Sort : uint8_t { Bits, Integer, Float, Truth };

  Kind kind = Kind::None;
  Sort sort = Sort::Bits;
  isa::StepOp op = isa::StepOp::Constant;
  bool isWide = false; // a float that may be an f64 NaN
  uint16_t bits = 0;   // width of a term of bits
  uint16_t type = 0, target = 0;
  uint32_t firstArg = 0, args = 0;
  uint64_t first = 0, second = 0;
};

class Terms {
public:
  Terms();

  /// Sets the contents of the buffers in the launch, for `Real::number`.
  void setContents(std::vector<std::vector<uint8_t>> bytes) { contents = std::move(bytes); }

  // ---- bits
  /// Returns a byte of a buffer. `address` is the term that decided which byte was loaded; `none` for a fixed address.
  Term leaf(uint32_t buffer, uint64_t byte, Term address = none);
  Term constant(Bits value, unsigned bits);
  Term join(llvm::ArrayRef<Ref> bytes);
  Ref byteOf(Term term, unsigned byte);
  /// Returns `bits` bits of a term, starting at bit `at`.
  Term slice(Term term, unsigned at, unsigned bits);
  /// Returns the term extended with zeros or copies of its sign.
  Term extended(Term term, unsigned bits, bool isSigned);
  Term bitwise(isa::StepOp op, Term a, Term b);
  /// Returns a term that selects one of two terms of bits.
  Term chosen(Term condition, Term a, Term b);
  Term approximation(const RecipeStep &step, bool flushes, bool isFull, llvm::ArrayRef<Term> args);
  /// Returns an element of a matrix product. `model` identifies the order of its additions.
  Term matrixProduct(uint64_t model, const ElementType &type, std::array<ElementType, 2> factorTypes, Term accumulator,
                     llvm::ArrayRef<std::pair<Term, Term>> factors);
  Term salted(Term term);

  // ---- numbers
  Term number(const Value &value);
  /// Returns the number that bits represent. If `keepsNan` is set, NaNs keep their bits.
  Term read(Term bits, const ElementType &type, bool keepsNan);
  Term store(Term number, const ElementType &type);
  Term apply(const RecipeStep &step, llvm::ArrayRef<Term> args);
  Term negation(Term truth);

  const Node &operator[](Term term) const { return nodes[term]; }
  llvm::ArrayRef<Term> argsOf(Term term) const {
    return llvm::ArrayRef(allArgs).slice(nodes[term].firstArg, nodes[term].args);
  }
  const ElementType &typeOf(uint16_t number) const { return types[number]; }
  const Real &real(Term term) const { return reals[term]; }
  /// Returns the term whose real value the bytes of the term represent.
  Term floatOf(Term term) const { return nodes[term].kind == Node::Kind::Salted ? argsOf(term)[0] : term; }
  /// Returns the type of the float that a term of bits represents, or null if it is unknown.
  const ElementType *floatTypeOf(Term term) const { return facts[term].type ? &types[facts[term].type - 1] : nullptr; }
  size_t size() const { return nodes.size(); }
  bool isConstant(Term term) const { return nodes[term].kind == Node::Kind::Constant; }
  Bits constantOf(Term term) const { return Bits(nodes[term].second) << 64 | nodes[term].first; }
  const Value &valueOf(Term term) const { return values[nodes[term].first]; }
  /// Returns the bits of a term for the contents of the launch, if its bytes come directly from buffers.
  std::optional<Bits> contentsOf(Term term) const;
  /// Returns whether a term depends on the order of threads.
  bool isSalted(Term term) const { return nodes[term].kind == Node::Kind::Salted; }
  void setRun(unsigned number) { run = number; }

private:
  using Args = llvm::ArrayRef<Term>;
  /// Properties of a term that do not depend on its arguments.
  struct Facts {
    uint16_t type = 0;    // type of the float that bits represent: index into the types, plus 1
    uint16_t exactIn = 0; // formats that contain a float, a bit for each
  };
  /// How bits are read as a number. The result is kept where it needs others first.
  struct Reading {
    Term bits = none;
    ElementType type;
    bool keepsNan = false;
  };
  /// The bits of a number whose sign was changed.
  struct SignedBits {
    Term bits = none;
    bool isCleared = false, isChanged = false;
  };

  Term make(Node node, Args args);
  Ref byteOfChoice(Term term, unsigned byte);
  Facts factsOf(Term term) const;
  uint16_t numberOf(const ElementType &type);
  static Node nodeFor(const RecipeStep &step);
  Term applyNode(const RecipeStep &step, Args args, Node::Sort sort);

  // Laws of exact numbers (Laws.cpp).
  Term bitwiseTruth(isa::StepOp op, Term a, Term b);
  Term readOnce(const Reading &of);
  llvm::SmallVector<Reading, 2> neededBy(const Reading &of);
  static uint64_t keyOf(const Reading &of, uint16_t type) {
    return uint64_t(of.bits) << 32 | uint64_t(type) << 1 | uint64_t(of.keepsNan);
  }
  std::optional<SignedBits> signedBits(Term bits, const ElementType &type);
  std::optional<Term> roundedTwice(const Reading &of) const;
  llvm::SmallVector<Term, 2> factorsOfTwice(Term exact) const;
  bool isChoiceOfBits(Term term) const {
    return nodes[term].kind == Node::Kind::Apply && nodes[term].op == isa::StepOp::Choice &&
           nodes[term].sort == Node::Sort::Bits;
  }
  std::optional<Term> inverseOfPower(Term number);
  Term asFloat(Term number);
  Term applyFloat(const RecipeStep &step, Args args);
  Term negated(Term number);
  Term sumOfFloats(const RecipeStep &step, Term a, Term b);
  Term fusedSum(const RecipeStep &step, Term a, Term b, Term c);
  Term productOfFloats(const RecipeStep &step, Term a, Term b);
  Term extreme(const RecipeStep &step, Term a, Term b);
  Term comparison(const RecipeStep &step, Term a, Term b);
  Term choice(const RecipeStep &step, Term condition, Term a, Term b);
  /// Returns whether a float is always a number of the format, so storing changes no more than NaNs.
  bool isExactIn(Term number, const numbers::Format &format) const;
  bool isNegation(Term number) const;
  bool isValue(Term number) const { return nodes[number].kind == Node::Kind::Value; }
  bool isFloat(Term number) const { return nodes[number].sort == Node::Sort::Float; }

  // Laws of bits (BitForms.cpp).
  using BitForm = std::vector<BitProduct>;
  BitForm storedForm(Term term) const;
  BitForm formOfByte(const Ref &ref) const;
  std::optional<Term> shiftedFrom(Term term, int &by);
  std::optional<BitForm> formOfBytes(Term term);
  std::optional<BitForm> formOf(Term term);
  Term termOf(BitForm form, unsigned bits);
  std::optional<Term> shiftedBits(Term term, int by, bool isSigned);
  std::optional<Term> reversedBits(Term term);

  // Laws of integers (Integers.cpp).
  using Ring = std::pair<uint64_t, uint64_t>;
  Term storeInteger(Term number, unsigned bits);
  Term storeIntegerOnce(Term number, unsigned bits);
  std::optional<Term> bitsOf(Term number, unsigned bits);
  std::optional<Term> bitsOfStep(Term number, unsigned bits);
  std::optional<Term> lookedUp(Args args);
  std::optional<unsigned> amountOf(Term number) const;
  std::optional<Term> readBits(Term number, bool &isSigned) const;
  std::optional<Term> shiftedRight(Term number, unsigned by, unsigned bits);
  std::optional<Term> inserted(Args args, unsigned bits);
  std::optional<Term> permuted(Args args);
  Ring ringOf(Term number, unsigned bits, bool &isSum);
  Ring ringOfBits(Term bits);
  Term inRing(const Ring &ring, unsigned bits, Term otherwise);

  // Real functions (Reals.cpp).
  Real realOf(Term term);
  Real realOfApply(Term term);
  Real realOfChoice(Term term);
  Real realOfRead(Term term);
  Real realOfApproximation(Term term);
  Real realOfFunction(isa::StepOp op, llvm::ArrayRef<Real> args);
  Real realOfProduct(Term term);
  Real greatestOf(llvm::ArrayRef<Real> all);
  Real least(const Real &a, const Real &b);
  Real absolute(const Real &a);
  Key keyOf(Term term, Key seed) const;
  double numberFor(Term bits, const ElementType &type) const;

  std::vector<Node> nodes;
  std::vector<Term> allArgs;
  std::vector<Real> reals;
  std::vector<Facts> facts;
  std::vector<Value> values;
  std::vector<ElementType> types;
  std::vector<std::vector<uint8_t>> contents;
  std::vector<uint32_t> table;                                      // terms, indexed by hash; 0 if empty
  llvm::DenseMap<uint64_t, llvm::SmallVector<uint32_t, 2>> byValue; // indices of values, keyed by hash
  std::map<std::pair<unsigned, Ring>, Term> byRing;
  // Results for selections and similar terms, whose parts come first.
  llvm::DenseMap<uint64_t, Term> readings, storedIntegers;
  llvm::DenseMap<uint64_t, Ref> chosenBytes;
  std::map<Term, Ring> rings;                // representations of sums and products
  std::map<Key, std::vector<Real>> greatest; // arguments of maxima
  std::map<Key, Real> logarithms, powers;    // arguments of logarithms, and exponents of powers of two
  unsigned run = 0;
  uint64_t salts = 0;
};

} // namespace ptxray::equal
