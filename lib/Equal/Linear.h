#pragma once
// Terms of integers as linear functions of loaded elements. Where a number could wrap around, or where a value is
// chosen, an inequality over the elements states the case of the launch.
#include "Equal/Terms.h"
#include <set>

namespace ptxray::equal {

using Wide = __int128;

/// An element that the launch loaded from a buffer.
struct Element {
  uint32_t buffer = 0, bytes = 0;
  uint64_t at = 0;       // offset in the buffer
  bool isSigned = false; // instructions read its number as signed
  Wide seen = 0;         // its number in the launch
};

/// A linear function of elements.
struct Linear {
  struct Part {
    uint32_t element;
    Wide factor;
  };
  llvm::SmallVector<Part, 2> parts; // sorted by element
  Wide constant = 0;
  Wide seen = 0; // its value in the launch
};

/// States that a function stays between two bounds.
struct Inequality {
  Linear of;
  Wide low, high;
};

/// Bytes of one term with a mask, shifted to the left or, if `shift` is negative, to the right, next to a constant.
struct ShiftedBytes {
  llvm::SmallVector<Ref, 8> bytes;
  int shift = 0;
  Bits mask = 0, constant = 0;
};

/// Returns the quotient, rounded down.
Wide floorOf(Wide number, Wide by);

class LinearTerms {
public:
  explicit LinearTerms(Terms &terms) : terms(terms) {}

  /// Returns the linear function that a term of bits or of an integer represents; empty if there is none. Bits
  /// represent it modulo a power of two. Adds the inequalities under which this holds.
  std::optional<Linear> of(Term term);
  /// Adds inequalities under which a truth keeps its value. Returns false if there are none.
  bool keep(Term truth, bool isTrue);
  /// Requires a function to stay between two bounds.
  void require(Linear of, Wide low, Wide high) { inequalities.push_back({std::move(of), low, high}); }

  const std::vector<Element> &elements() const { return all; }
  std::vector<Inequality> inequalities;

private:
  void addNeeds(Term term, std::vector<Term> &open);
  std::optional<Linear> find(Term term);
  std::optional<Linear> ofApply(Term term);
  std::optional<Linear> ofQuotient(isa::StepOp op, const Linear &a, const Linear &b);
  std::optional<Linear> ofJoin(Term term);
  std::optional<Linear> ofForm(Term term);
  std::optional<Linear> ofShiftedRight(const ShiftedBytes &form);
  std::optional<Linear> elementOf(Term term, bool isSigned);
  std::optional<Linear> asNumber(Linear one, unsigned bits, bool isSigned);
  std::optional<bool> valueOf(Term truth);
  std::optional<bool> valueOfComparison(Term truth);
  bool keepComparison(Term truth, bool isTrue);
  std::optional<Linear> known(Term term) const { return functions.lookup(term); }
  bool isTrue(Term term, isa::StepOp op) const {
    return terms[term].kind == Node::Kind::Apply && terms[term].op == op && terms[term].sort == Node::Sort::Truth;
  }

  Terms &terms;
  std::vector<Element> all;
  llvm::DenseMap<Term, std::optional<Linear>> functions;
  std::map<std::tuple<uint32_t, uint64_t, uint32_t>, uint32_t> byPlace; // elements by buffer, offset and size
};

} // namespace ptxray::equal
