#pragma once
// Tensor cores add products in this way: it gives one element of the result of mma, wgmma and tcgen05.mma.
#include "Numbers/Number.h"
#include <span>

namespace ptxray::numbers {

enum class MatrixUnit : uint8_t { Mma, Wgmma, Tcgen05 };

/// Products are added in one of these ways.
enum class SumWay : uint8_t {
  Fused, // this many products and the sum so far at once
  Pairs, // of each four products first two, at once, then the others; what was there is added last (8 bits, made f16)
  Separate, // four products by multiplications and additions of f32 (m8n8k4)
};

/// Each addend of a step is cut after `fractionBits`, counted from the greatest exponent among all; the sum is exact,
/// and cut to the result (f16: rounded to nearest).
struct SumModel {
  SumWay way;
  uint8_t fractionBits;
  uint8_t products;
  int16_t zeroExponent; // of a product that is zero
  uint8_t resultBits;   // of the fraction of f32 that are not cut
};

struct MatrixKind {
  MatrixUnit unit;
  unsigned architecture; // of which an instruction of this kind exists
  const Format *operand, *result;
  bool isQuad = false;    // m8n8k4 of f16
  bool hasGroups = false; // mxf4, mxf4nvf4: `.block_scale` with elements of four bits
};
SumModel sumModel(const MatrixKind &kind);

/// An operand's element, as many products share it.
struct Factor {
  Number::Kind kind = Number::Kind::Zero;
  bool isMinusZero = false; // which separate sums alone tell from zero
  int16_t exponent = 0;
  int32_t significand = 0; // / 2^10; of infinity the sign
};
/// tf32 has its upper 19 bits.
Factor factorOf(uint64_t code, const Format &format);

/// `c` plus the products, in the format of `c`.
uint64_t sumOfProducts(std::span<const Factor> a, std::span<const Factor> b, uint64_t c, const Format &result,
                       const SumModel &model);

/// With scales: each scale is of as many elements as there are for one. With groups, 16 products are added before they
/// are scaled.
uint32_t scaledSumOfProducts(std::span<const Factor> a, std::span<const Factor> b, std::span<const Factor> scalesOfA,
                             std::span<const Factor> scalesOfB, uint32_t c, const SumModel &model, bool hasGroups);

/// f64: one fma after the other.
uint64_t chainOfProducts(std::span<const uint64_t> a, std::span<const uint64_t> b, uint64_t c, Rounding rounding);

/// Integers of 8 and 4 bits, and of one after `and` or `xor`: modulo 2^32, or with `.satfinite` the nearest there is.
uint32_t integerSum(std::span<const int32_t> a, std::span<const int32_t> b, uint32_t c, bool finite);

} // namespace ptxray::numbers
