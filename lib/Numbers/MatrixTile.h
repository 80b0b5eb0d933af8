#pragma once
// Sums of products for whole matrices, by the models of MatrixSum. Vectors hold four rows by eight columns of sums.
#include "Numbers/MatrixSum.h"
#include <memory>

namespace ptxray::numbers {

/// An array whose first `mostInside` elements are stored in the object itself.
template <class Element> class Elements {
public:
  explicit Elements(size_t count)
      : count(count), many(count > mostInside ? std::make_unique_for_overwrite<Element[]>(count) : nullptr) {}
  Element *data() { return many ? many.get() : few; }
  const Element *data() const { return many ? many.get() : few; }
  size_t size() const { return count; }

private:
  static constexpr size_t mostInside = 512; // enough for one mma
  size_t count;
  std::unique_ptr<Element[]> many;
  Element few[mostInside];
};

/// An operand matrix, prepared for multiplying its rows by those of another one. Elements are ordered by K first: one
/// element of each row, then the next.
class Multiplicand {
public:
  /// `codes` are the elements in this order. The rows of the second matrix are a multiple of eight.
  Multiplicand(uint32_t rows, uint32_t depth, const Format &format, std::span<const uint32_t> codes);

  size_t at(uint32_t row, uint32_t k) const { return size_t(k) * rows + row; }
  Factor factor(uint32_t row, uint32_t k) const { return factorOf(codes.data()[at(row, k)], *format); }

  uint32_t rows, depth;
  const Format *format;
  bool isFar;              // exponents far below the maximum are not kept
  bool hasOutside = false; // some elements are not finite, or their products may exceed f32
  Elements<uint32_t> codes;
  Elements<float> values;
  Elements<int8_t> exponents;   // relative to the maximum, and at least the minimum; `ofNoProduct` for zeros
  Elements<int32_t> greatest;   // maximum exponent of each row, or of the format
  Elements<int32_t> areOutside; // -1 for rows with a non-finite element, or with products that may exceed f32
  static constexpr uint32_t rowsTogether = 8; // rows that are read together; arrays are padded to a multiple of this
  // The sum of two such exponents fits into a byte, and shows whether one of them belongs to zero.
  static constexpr int8_t leastExponent = -31, ofNoProduct = -64;
};

/// Rows of a matrix A, starting at `first`. If A is sparse, each row contains only some of the columns; `columns` lists
/// the matching columns of B for each element, row by row.
struct RowsOfProduct {
  const Multiplicand &a;
  uint32_t first, count;
  std::span<const uint16_t> columns = {};
};

/// Adds the products of `rows` and all rows of `b` to `sums`. Sums are ordered by row of A; each row holds as many
/// codes as `b` has rows.
void addProducts(const RowsOfProduct &rows, const Multiplicand &b, std::span<uint32_t> sums, const Format &result,
                 const SumModel &model);

/// The scales of a matrix's rows. All scales of a row apply to the same number of elements.
struct Scales {
  std::span<const Factor> factors;
  uint32_t toNextRow, toNext; // distances to the next row's factors, and to the next factor of the same row
  const Factor &of(uint32_t row, uint32_t i) const { return factors[size_t(row) * toNextRow + size_t(i) * toNext]; }
};
struct ProductScales {
  Scales ofA, ofB;  // `ofA` starts at the first row of the product
  uint32_t factors; // number of factors per row
  bool hasGroups;   // adds 16 products before they are scaled
};
/// Adds scaled products to sums of f32. `rows` holds the products of one step.
void addScaledProducts(const RowsOfProduct &rows, const Multiplicand &b, const ProductScales &scales,
                       std::span<uint32_t> sums, const SumModel &model);

} // namespace ptxray::numbers
