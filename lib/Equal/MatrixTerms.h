#pragma once
// Matrix products on terms.
#include "Equal/Symbolic.h"
#include "Numbers/MatrixSum.h"

namespace ptxray::equal {

/// The terms of the result registers of a product, indexed by register and lane.
using MatrixTerms = std::vector<std::array<Term, machine::warpSize>>;

/// Returns nothing if terms do not support the product.
std::optional<MatrixTerms> productOf(Terms &terms, const Site &site, Symbolic &symbolic);

/// How the products of one element are added.
struct ElementSum {
  numbers::SumModel model;
  ElementType a, b, sum; // integers are added modulo 2^32
};
/// Returns the term of one element of a product: the accumulator plus the products of all pairs; `unknown` for other
/// models.
Term sumOfProducts(Terms &terms, const ElementSum &how, Term accumulator, llvm::ArrayRef<std::pair<Term, Term>> pairs);

/// Returns the model that a term of a product names.
numbers::SumModel modelOf(uint64_t number, size_t products);

} // namespace ptxray::equal
