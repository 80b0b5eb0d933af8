#pragma once
// Many sums of products at once: what tensor cores make of whole matrices, by the models of MatrixSum. Four rows by
// eight columns are summed side by side, in vectors.
#include "Numbers/MatrixSum.h"
#include <memory>

namespace ptxray::numbers {

/// So many elements; a few lie in the object itself.
template <class Element> class Elements {
public:
  explicit Elements(size_t count)
      : count(count), many(count > mostInside ? std::make_unique_for_overwrite<Element[]>(count) : nullptr) {}
  Element *data() { return many ? many.get() : few; }
  const Element *data() const { return many ? many.get() : few; }
  size_t size() const { return count; }

private:
  static constexpr size_t mostInside = 512; // as the matrices of one mma have
  size_t count;
  std::unique_ptr<Element[]> many;
  Element few[mostInside];
};

/// A matrix whose rows are multiplied by those of another one, with all that is needed for many of them at once. Of
/// each row here there is one element, and then the next of each: K grows slowest.
class Multiplicand {
public:
  /// `codes` are the elements in this order. The rows of the second matrix are a multiple of eight.
  Multiplicand(uint32_t rows, uint32_t depth, const Format &format, std::span<const uint32_t> codes);

  size_t at(uint32_t row, uint32_t k) const { return size_t(k) * rows + row; }
  Factor factor(uint32_t row, uint32_t k) const { return factorOf(codes.data()[at(row, k)], *format); }

  uint32_t rows, depth;
  const Format *format;
  bool isFar;              // exponents that are far from the greatest one are not kept
  bool hasOutside = false; // some are not finite, or their products may leave f32
  Elements<uint32_t> codes;
  Elements<float> values;
  Elements<int8_t> exponents;   // less the greatest one, and no less than the least; of zeros `ofNoProduct`
  Elements<int32_t> greatest;   // exponents: of a row, or of the format
  Elements<int32_t> areOutside; // of each row -1: an element is not finite, or its products may leave f32
  static constexpr uint32_t rowsTogether = 8; // which are read together, also where they are not all there
  // The sum of two is a byte, from which it is seen whether one was zero.
  static constexpr int8_t leastExponent = -31, ofNoProduct = -64;
};

/// Rows of a matrix A, from `first` on. If A is sparse each row holds only some of the columns: `columns` are those of
/// B for each of its elements, row after row.
struct RowsOfProduct {
  const Multiplicand &a;
  uint32_t first, count;
  std::span<const uint16_t> columns = {};
};

/// Their products by all rows of `b` are added to `sums`: one row after the other, each of as many codes as `b` has
/// rows.
void addProducts(const RowsOfProduct &rows, const Multiplicand &b, std::span<uint32_t> sums, const Format &result,
                 const SumModel &model);

/// Scales of the rows of a matrix: each is of as many elements as the others of its row.
struct Scales {
  std::span<const Factor> factors;
  uint32_t toNextRow, toNext; // the distance to the factors of the next row, and to the next factor of a row
  const Factor &of(uint32_t row, uint32_t i) const { return factors[size_t(row) * toNextRow + size_t(i) * toNext]; }
};
struct ProductScales {
  Scales ofA, ofB;  // A's from the first row of the product on
  uint32_t factors; // how many a row has
  bool hasGroups;   // 16 products are added before they are scaled
};
/// The same for sums of f32 and products that are scaled. As many products are there as are added at once.
void addScaledProducts(const RowsOfProduct &rows, const Multiplicand &b, const ProductScales &scales,
                       std::span<uint32_t> sums, const SumModel &model);

} // namespace ptxray::numbers
