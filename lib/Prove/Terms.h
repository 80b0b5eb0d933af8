#pragma once
// Formulas as data: expressions over bit vectors of exact width, in one table. A term is an index; equal terms have
// equal indices. Constructors simplify, and compute the minimum and maximum of a term.
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ptxray::prove {

using Number = unsigned __int128;
inline constexpr unsigned mostBits = 128;

constexpr Number maskOf(unsigned width) { return width >= mostBits ? ~Number(0) : (Number(1) << width) - 1; }

enum class Term : uint32_t { None = ~0u };

/// The threads in which a variable has one value.
enum class Sharing : uint8_t { Grid, Block, Thread };

struct Variable {
  std::string name;
  uint16_t width = 32;
  Sharing sharing = Sharing::Thread;
  Number low = 0, high = 0;             // the variable may have any value in this range
  llvm::SmallVector<uint32_t, 2> loops; // loops in each iteration of which the variable has a different value
};

enum class Op : uint8_t {
  Constant,
  Variable,
  Sum,     // `number` plus each argument times its factor
  Product, // two arguments
  DivideUnsigned,
  RemainderUnsigned,
  DivideSigned,
  RemainderSigned,
  And,
  Or,
  Xor,
  ShiftLeft, // the shift count has the same width; shifts beyond the width yield 0
  ShiftRight,
  ShiftRightSigned,
  Choice, // a ? b : c
  Equal,
  Less,       // unsigned
  LessSigned, // signed
  Extract,    // the bits from `number`
  ZeroExtend,
  SignExtend,
  Opaque, // an unknown function of the arguments, identified by `number`
};

struct Node {
  Op op = Op::Constant;
  uint16_t width = 1;
  Number number = 0;
  llvm::SmallVector<Term, 3> args;
  llvm::SmallVector<Number, 2> factors; // for Sum
  bool operator==(const Node &) const = default;
};

class Terms {
public:
  Terms();

  // ---- leaves
  Term constant(unsigned width, Number number);
  Term truth(bool isTrue) { return constant(1, isTrue); }
  Term variable(Variable variable);
  Term opaque(unsigned width, uint64_t function, llvm::ArrayRef<Term> args);

  // ---- operations
  Term add(Term a, Term b);
  Term subtract(Term a, Term b);
  Term negate(Term a);
  Term multiply(Term a, Term b);
  Term divide(Term a, Term b, bool isSigned, bool isRemainder);
  Term bitAnd(Term a, Term b);
  Term bitOr(Term a, Term b);
  Term bitXor(Term a, Term b);
  Term bitNot(Term a) { return bitXor(a, constant(width(a), maskOf(width(a)))); }
  Term shift(Op op, Term a, Term by);
  Term choice(Term condition, Term a, Term b);
  Term equal(Term a, Term b);
  Term less(Term a, Term b, bool isSigned);
  Term lessEqual(Term a, Term b, bool isSigned) { return bitNot(less(b, a, isSigned)); }
  Term extract(Term a, unsigned low, unsigned width);
  Term extend(Term a, unsigned width, bool isSigned);
  /// Extends or truncates a term.
  Term resized(Term a, unsigned width, bool isSigned) {
    return width < this->width(a) ? extract(a, 0, width) : extend(a, width, isSigned);
  }
  Term both(Term a, Term b) { return bitAnd(a, b); }
  Term either(Term a, Term b) { return bitOr(a, b); }
  Term no(Term a) { return bitNot(a); }

  // ---- what is known
  const Node &operator[](Term term) const { return nodes[static_cast<uint32_t>(term)]; }
  unsigned width(Term term) const { return (*this)[term].width; }
  bool isConstant(Term term) const { return (*this)[term].op == Op::Constant; }
  bool isConstant(Term term, Number number) const { return isConstant(term) && (*this)[term].number == number; }
  Number low(Term term) const { return lows[static_cast<uint32_t>(term)]; }
  Number high(Term term) const { return highs[static_cast<uint32_t>(term)]; }
  /// Returns whether the term is non-negative as a signed number.
  bool isNonNegative(Term term) const { return high(term) <= maskOf(width(term)) >> 1; }
  /// Returns how many of the lowest bits are certainly zero.
  unsigned zeros(Term term) const { return lowZeros[static_cast<uint32_t>(term)]; }
  const Variable &variableOf(Term term) const { return variables[static_cast<uint32_t>((*this)[term].number)]; }
  void setSharing(Term variable, Sharing sharing) {
    variables[static_cast<uint32_t>((*this)[variable].number)].sharing = sharing;
  }
  size_t size() const { return nodes.size(); }

  // ---- whole terms
  /// Calls `see` once with each subterm of these terms, arguments first.
  void eachBelow(llvm::ArrayRef<Term> roots, llvm::function_ref<void(Term)> see) const;
  /// Replaces terms. `known` caches results, and contains the initial replacements.
  Term replaced(Term root, llvm::DenseMap<Term, Term> &known);
  /// Returns the value of a term. `values` contains those of variables and opaque terms.
  Number evaluate(Term root, const llvm::DenseMap<Term, Number> &values) const;
  /// Returns a copy of a term with other arguments.
  Term rebuilt(const Node &like, llvm::ArrayRef<Term> args);

private:
  Term intern(Node node);
  void bound(const Node &node, Number &low, Number &high) const;
  void boundRest(const Node &node, Number &low, Number &high) const;
  void boundSum(const Node &node, Number &low, Number &high) const;
  unsigned zerosOf(const Node &node) const;
  Term sumOf(unsigned width, Number number, std::map<Term, Number> parts);
  void addTo(std::map<Term, Number> &parts, Number &number, Term term, Number factor) const;
  Term comparedSums(Term a, Term b);
  Term bitwiseOfConstant(Op op, Term a, Number mask);
  Term extended(Term a, unsigned width, bool isSigned);

  std::vector<Node> nodes;
  std::vector<Number> lows, highs;
  std::vector<uint8_t> lowZeros;
  std::vector<Variable> variables;
  llvm::DenseMap<uint64_t, llvm::SmallVector<Term, 1>> known;
};

/// Evaluates one operation on numbers.
Number applied(const Node &node, llvm::ArrayRef<Number> args, llvm::ArrayRef<unsigned> widths);
/// Returns a number as a signed 128-bit number.
__int128 signedOf(Number number, unsigned width);

} // namespace ptxray::prove

template <> struct llvm::DenseMapInfo<ptxray::prove::Term> {
  static constexpr ptxray::prove::Term getEmptyKey() { return ptxray::prove::Term(~0u); }
  static constexpr ptxray::prove::Term getTombstoneKey() { return ptxray::prove::Term(~0u - 1); }
  static unsigned getHashValue(ptxray::prove::Term term) {
    return DenseMapInfo<uint32_t>::getHashValue(static_cast<uint32_t>(term));
  }
  static bool isEqual(ptxray::prove::Term a, ptxray::prove::Term b) { return a == b; }
};
