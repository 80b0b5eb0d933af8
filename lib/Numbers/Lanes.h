#pragma once
// f32 and f64 arithmetic, rounded to nearest, with the processor's own instructions, which compilers vectorise. A loop
// over lanes takes a few nanoseconds. Results equal those of Number.h if the processor rounds to nearest and keeps
// subnormal numbers, which is the state in which every program starts.
#include <bit>
#include <cmath>
#include <cstdint>

// Files that are compiled for particular processors include these functions, so the linker must not merge them.
#define PTXRAY_INLINED [[gnu::always_inline]] inline

namespace ptxray::numbers::lanes {

/// Replaces NaN with the canonical f32 NaN.
template <class... Sources> PTXRAY_INLINED float canonical(float result, Sources... /*unused*/) {
  return result == result ? result : std::bit_cast<float>(0x7fffffff);
}
/// Replaces NaN with the f64 NaN that PTX defines, which has the fraction of the last NaN among `sources`.
template <class... Sources> PTXRAY_INLINED double canonical(double result, Sources... sources) {
  uint64_t code = 0xfff8000000000000;
  ((code = !__builtin_isnan(sources) ? code : std::bit_cast<uint64_t>(sources) | uint64_t(1) << 51), ...);
  return result == result ? result : std::bit_cast<double>(code);
}

/// Replaces a subnormal number with zero if `Flush` is set (.ftz).
template <bool Flush> PTXRAY_INLINED float flushed(float x) {
  const auto code = std::bit_cast<uint32_t>(x);
  return !Flush || (code & 0x7f800000) != 0 ? x : std::bit_cast<float>(code & 0x80000000);
}
template <bool Flush> PTXRAY_INLINED double flushed(double x) { return x; }
/// Flushes the result of a product or a fused sum that is rounded up to the smallest normal number. `great` is the same
/// result multiplied by 2^24.
PTXRAY_INLINED float flushedTiny(float x, float great) {
  const bool isTiny = great < 0x1p-102F && great > -0x1p-102F;
  return isTiny ? std::bit_cast<float>(std::bit_cast<uint32_t>(x) & 0x80000000) : x;
}

template <bool Flush = false, class T> PTXRAY_INLINED T add(T a, T b) {
  const T x = flushed<Flush>(a), y = flushed<Flush>(b);
  return flushed<Flush>(canonical(x + y, a, b));
}
template <bool Flush = false, class T> PTXRAY_INLINED T subtract(T a, T b) {
  const T x = flushed<Flush>(a), y = flushed<Flush>(b);
  return flushed<Flush>(canonical(x - y, a, b));
}
template <bool Flush = false, class T> PTXRAY_INLINED T multiply(T a, T b) {
  const T x = flushed<Flush>(a), y = flushed<Flush>(b);
  const T result = canonical(x * y, a, b);
  if constexpr (Flush)
    return flushedTiny(result, (x * 0x1p24F) * y);
  return result;
}
template <bool Flush = false, class T> PTXRAY_INLINED T divide(T a, T b) {
  const T x = flushed<Flush>(a), y = flushed<Flush>(b);
  return flushed<Flush>(canonical(x / y, b, a));
}
template <bool Flush = false, class T> PTXRAY_INLINED T fused(T a, T b, T c) {
  const T x = flushed<Flush>(a), y = flushed<Flush>(b), z = flushed<Flush>(c);
  const T result = canonical(std::fma(x, y, z), a, c, b);
  if constexpr (Flush)
    return flushedTiny(result, std::fma(x * 0x1p24F, y, z * 0x1p24F));
  return result;
}
template <bool Flush = false, class T> PTXRAY_INLINED T squareRoot(T a) {
  const T x = flushed<Flush>(a);
  return canonical(std::sqrt(x), a);
}

// Conversions between f32 and f16 or bf16, rounded to nearest. Double rounding does not affect addition, subtraction,
// multiplication, division and square roots: f32 has more than twice the bits.

PTXRAY_INLINED float widenedF16(uint16_t code) {
  const uint32_t magnitude = uint32_t(code & 0x7fff) << 13, sign = uint32_t(code & 0x8000) << 16;
  // The scaled number is normal even if x is subnormal.
  const auto scaled = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) * 0x1p112F);
  const uint32_t special = magnitude > 0x0f800000 ? 0x7fffffff : 0x7f800000 | sign;
  return std::bit_cast<float>(magnitude >= 0x0f800000 ? special : scaled | sign);
}
PTXRAY_INLINED uint16_t narrowedF16(float x) {
  const auto code = std::bit_cast<uint32_t>(x);
  const uint32_t magnitude = code & 0x7fffffff, sign = code >> 16 & 0x8000;
  const uint32_t normal = (magnitude + 0xfff + (magnitude >> 13 & 1) - (112U << 23)) >> 13;
  // After adding 0.5, the last bit has the weight of the smallest subnormal number.
  const uint32_t subnormal = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + 0.5F) - 0x3f000000;
  const uint32_t finite = magnitude < 0x38800000 ? subnormal : normal;
  return uint16_t(magnitude > 0x7f800000 ? 0x7fff : sign | (magnitude >= 0x477ff000 ? 0x7c00 : finite));
}
PTXRAY_INLINED float widenedBf16(uint16_t code) { return std::bit_cast<float>(uint32_t(code) << 16); }
PTXRAY_INLINED uint16_t narrowedBf16(float x) {
  const auto code = std::bit_cast<uint32_t>(x);
  return uint16_t((code & 0x7fffffff) > 0x7f800000 ? 0x7fff : (code + 0x7fff + (code >> 16 & 1)) >> 16);
}

/// Returns a * b + c of 16-bit numbers, to be narrowed. Both steps round to odd, so that the final rounding is exact.
PTXRAY_INLINED float fusedOf16(float a, float b, float c) {
  const double product = double(a) * b, sum = product + c;
  const double part = sum - product, error = (product - (sum - part)) + (c - part);
  auto code = std::bit_cast<uint64_t>(sum);
  const bool isInexact = (error > 0 || error < 0) && (code & 1) == 0;
  code += !isInexact ? 0 : (error > 0) == (sum > 0) ? 1 : -1;
  const auto odd = std::bit_cast<double>(code);
  const auto near = float(odd);
  auto result = std::bit_cast<uint32_t>(near);
  const bool isCut = (near < odd || near > odd) && (result & 1) == 0;
  result += !isCut ? 0 : (near < odd) == (odd > 0) ? 1 : -1;
  return std::bit_cast<float>(result);
}

} // namespace ptxray::numbers::lanes
