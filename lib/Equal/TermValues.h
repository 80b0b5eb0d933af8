#pragma once
// The numbers that terms stand for, for given contents of the buffers. Each operation is computed by the functions with
// which the machine computes it, so a term that says something else than the machine is found.
#include "Equal/Terms.h"

namespace ptxray::equal {

class TermValues {
public:
  /// Plans the computation of some terms. All terms that they are computed from are computed once.
  TermValues(const Terms &terms, llvm::ArrayRef<Term> wanted);

  /// Computes the terms for other contents. Returns false if a value cannot be computed.
  bool compute(llvm::ArrayRef<std::vector<uint8_t>> contents);
  /// Returns a byte of a term that the caller requested.
  uint8_t byteAt(const Ref &ref) const { return static_cast<uint8_t>(bits[placeOf(ref.term)] >> 8 * ref.byte); }
  /// Returns how many terms are computed.
  size_t size() const { return order.size(); }

private:
  static constexpr uint32_t nowhere = ~0u;
  uint32_t placeOf(Term term) const { return places[term]; }
  bool isNumber(Term term) const {
    return terms[term].sort == Node::Sort::Integer || terms[term].sort == Node::Sort::Float;
  }
  std::optional<Bits> bitsFor(Term term);
  std::optional<Bits> bitsOfApply(Term term);
  Bits bitsOfProduct(Term term) const;
  std::optional<Value> numberFor(Term term);
  Value numberOf(Term arg) const;
  Bits bitsOf(Term arg) const { return bits[placeOf(arg)]; }

  const Terms &terms;
  std::vector<Term> order;      // each after its arguments
  std::vector<uint32_t> places; // of each term, in `bits` or in `numbers`
  std::vector<Bits> bits;
  std::vector<Value> numbers;
  llvm::ArrayRef<std::vector<uint8_t>> contents;
};

} // namespace ptxray::equal
