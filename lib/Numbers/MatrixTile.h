#pragma once
// Many sums of products at once: what tensor cores make of whole matrices, by the models of MatrixSum.
#include "Numbers/MatrixSum.h"
#include <vector>

namespace ptxray::numbers {

/// A matrix whose rows are multiplied by those of another one, with all that is needed for many of them at once.
class Multiplicand {
public:
  /// `codes` are the elements, row after row; `products` are added at once.
  Multiplicand(uint32_t rows, uint32_t depth, const Format &format, std::span<const uint32_t> codes, uint32_t products);

  uint32_t rows, depth;
  std::vector<Factor> factors;    // row after row
  std::vector<float> values;      // all rows of one column, then of the next
  std::vector<int16_t> exponents; // the same
  std::vector<uint8_t> isOutside; // of each row: an element is not finite, or its products may leave f32
  std::vector<uint8_t> hasZero;   // of each step of K and row
};

/// The rows of `a` from `first` on, by all rows of `b`, are added to `sums`: `count` rows, one after the other, each of
/// as many codes as `b` has rows.
void addProducts(const Multiplicand &a, uint32_t first, uint32_t count, const Multiplicand &b, std::span<uint32_t> sums,
                 const Format &result, const SumModel &model);
/// The same for sums of f32, each product times the powers of two that are the scales of the two rows: one of each of
/// the `count` rows of `a`, and of each row of `b`. As many products are there as are added at once.
void addScaledProducts(const Multiplicand &a, uint32_t first, uint32_t count, const Multiplicand &b,
                       std::span<const Factor> scalesOfA, std::span<const Factor> scalesOfB, std::span<uint32_t> sums,
                       const SumModel &model);

} // namespace ptxray::numbers
