#pragma once
// Whole matrices multiplied as tensor cores do it: what sumOfProducts gives for each element of the result, but several
// columns at a time, so that a compiler makes vectors of it.
#include "Numbers/MatrixSum.h"

namespace ptxray::numbers {

/// The sizes of A, B and C: A is rows x depth, B depth x columns, C rows x columns.
struct MatrixSize {
  unsigned rows, columns, depth; // the columns are a multiple of eight
};
/// The bits of the elements of a matrix, row after row.
struct MatrixCodes {
  std::span<const uint32_t> codes;
  const Format &format;
};

/// Adds the product of A and B to `sums`, whose elements are of the format `result`. A sparse A has only the elements
/// that are kept: `chosen` has the row of B that belongs to each; empty: its column.
void multiplyAndAdd(const MatrixSize &size, const MatrixCodes &a, const MatrixCodes &b,
                    std::span<const uint16_t> chosen, std::span<uint32_t> sums, const Format &result,
                    const SumModel &model);

} // namespace ptxray::numbers
