#pragma once
// f32 and f64 to nearest by the processor's own instructions, of which a compiler makes vectors: a loop over lanes
// takes a few nanoseconds. The results are those of Number.h as long as the processor rounds to nearest and keeps
// subnormal numbers, which every program starts with.
#include <bit>
#include <cmath>
#include <cstdint>

// A file that is compiled for some processors alone has these functions too: none may be left to the linker.
#define PTXRAY_INLINED [[gnu::always_inline]] inline

namespace ptxray::numbers::lanes {

/// There is one NaN of f32.
template <class... Sources> PTXRAY_INLINED float canonical(float result, Sources... /*unused*/) {
  return result == result ? result : std::bit_cast<float>(0x7fffffff);
}
/// That of f64 has the fraction of the last of these sources that is one.
template <class... Sources> PTXRAY_INLINED double canonical(double result, Sources... sources) {
  uint64_t code = 0xfff8000000000000;
  ((code = !__builtin_isnan(sources) ? code : std::bit_cast<uint64_t>(sources) | uint64_t(1) << 51), ...);
  return result == result ? result : std::bit_cast<double>(code);
}

/// .ftz: zero in the place of a subnormal number.
template <bool Flush> PTXRAY_INLINED float flushed(float x) {
  const auto code = std::bit_cast<uint32_t>(x);
  return !Flush || (code & 0x7f800000) != 0 ? x : std::bit_cast<float>(code & 0x80000000);
}
template <bool Flush> PTXRAY_INLINED double flushed(double x) { return x; }
/// .ftz of a product or a fused sum: with smaller exponents it would not always reach the least normal number that it
/// is rounded to. `great` is the same with the factor 2^24.
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

// Numbers of 16 bits as f32 and back, to nearest. What add, subtract, multiply, divide and squareRoot give of two of
// them is rounded twice without harm: f32 has more than twice the bits.

PTXRAY_INLINED float widenedF16(uint16_t code) {
  const uint32_t magnitude = uint32_t(code & 0x7fff) << 13, sign = uint32_t(code & 0x8000) << 16;
  const auto scaled = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) * 0x1p112F); // normal if it was subnormal
  const uint32_t special = magnitude > 0x0f800000 ? 0x7fffffff : 0x7f800000 | sign;
  return std::bit_cast<float>(magnitude >= 0x0f800000 ? special : scaled | sign);
}
PTXRAY_INLINED uint16_t narrowedF16(float x) {
  const auto code = std::bit_cast<uint32_t>(x);
  const uint32_t magnitude = code & 0x7fffffff, sign = code >> 16 & 0x8000;
  const uint32_t normal = (magnitude + 0xfff + (magnitude >> 13 & 1) - (112U << 23)) >> 13;
  // The last bit of a sum with a half is that of the least subnormal number.
  const uint32_t subnormal = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + 0.5F) - 0x3f000000;
  const uint32_t finite = magnitude < 0x38800000 ? subnormal : normal;
  return uint16_t(magnitude > 0x7f800000 ? 0x7fff : sign | (magnitude >= 0x477ff000 ? 0x7c00 : finite));
}
PTXRAY_INLINED float widenedBf16(uint16_t code) { return std::bit_cast<float>(uint32_t(code) << 16); }
PTXRAY_INLINED uint16_t narrowedBf16(float x) {
  const auto code = std::bit_cast<uint32_t>(x);
  return uint16_t((code & 0x7fffffff) > 0x7f800000 ? 0x7fff : (code + 0x7fff + (code >> 16 & 1)) >> 16);
}

/// a * b + c of numbers of 16 bits, to be narrowed: rounded to odd twice, so that rounding once more cannot be wrong.
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
