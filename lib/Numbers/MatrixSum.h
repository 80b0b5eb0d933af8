#pragma once
// Sums of products, computed like tensor cores do: one element of the result of mma, wgmma or tcgen05.mma.
#include "Numbers/Number.h"
#include <span>

namespace ptxray::numbers {

enum class MatrixUnit : uint8_t { Mma, Wgmma, Tcgen05 };

/// The order in which products are added.
enum class SumWay : uint8_t {
  Fused, // a step adds `count` products and the accumulator at once
  Pairs, // adds two products of each four at once, then the other two; the accumulator last (8-bit types, converted to
         // f16)
  Separate, // four separate f32 multiplications and additions (m8n8k4)
};

/// The rounding of one step. Each addend is truncated after `fractionBits`, counted from the maximum exponent of all
/// addends. Their sum is exact, and is truncated to the result (f16: rounded to nearest).
struct SumModel {
  SumWay way;
  uint8_t fractionBits;
  uint8_t products;
  int16_t zeroExponent; // exponent of a product that is zero
  uint8_t resultBits;   // number of f32 fraction bits that are kept
};

struct MatrixKind {
  MatrixUnit unit;
  unsigned architecture; // the first architecture with this model
  const Format *operand, *result;
  bool isQuad = false;    // m8n8k4 of f16
  bool hasGroups = false; // mxf4, mxf4nvf4: `.block_scale` with 4-bit elements
};
SumModel sumModel(const MatrixKind &kind);

/// A decoded element of an operand, which many products share.
struct Factor {
  Number::Kind kind = Number::Kind::Zero;
  bool isMinusZero = false; // -0, which differs from 0 only in separate sums
  int16_t exponent = 0;
  int32_t significand = 0; // significand * 2^10; for infinity, its sign
};
/// Decodes one element. tf32 uses the upper 19 bits of its code.
Factor factorOf(uint64_t code, const Format &format);

/// Returns `c` plus the sum of products, in the format of `c`.
uint64_t sumOfProducts(std::span<const Factor> a, std::span<const Factor> b, uint64_t c, const Format &result,
                       const SumModel &model);

/// Returns `c` plus the sum of scaled products. Each scale applies to the same number of elements. With groups, 16
/// products are added before they are scaled.
uint32_t scaledSumOfProducts(std::span<const Factor> a, std::span<const Factor> b, std::span<const Factor> scalesOfA,
                             std::span<const Factor> scalesOfB, uint32_t c, const SumModel &model, bool hasGroups);

/// Returns the f64 result: a chain of fused multiply-adds.
uint64_t chainOfProducts(std::span<const uint64_t> a, std::span<const uint64_t> b, uint64_t c, Rounding rounding);

/// Returns the sum for 8-bit and 4-bit integers, and for 1-bit ones after `and` or `xor`. The sum wraps modulo 2^32, or
/// saturates if `finite` is set (`.satfinite`).
uint32_t integerSum(std::span<const int32_t> a, std::span<const int32_t> b, uint32_t c, bool finite);

} // namespace ptxray::numbers
