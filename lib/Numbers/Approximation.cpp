#include "Numbers/Approximation.h"
#include "Numbers/Lanes.h"
#include "Numbers/Number.h"
#include <bit>
#include <optional>

namespace ptxray::numbers {
namespace {

struct Segment {
  uint32_t value, slope, curvature;
};
#include "Numbers/Segments.inc"

constexpr uint64_t lowBits(unsigned count) { return (uint64_t(1) << count) - 1; }
constexpr uint32_t nan = 0x7fffffff, infinity = 0x7f800000, one = 0x3f800000, signBit = 0x80000000;
constexpr uint32_t infinity64 = 0x7ff00000; // upper half of the code

/// Returns the square of `x` as the unit computes it: without the 19 lowest columns of the triangle of partial
/// products.
uint64_t truncatedSquare(uint64_t x) {
  uint64_t missing = 0;
  for (unsigned i = 0; i < 10; ++i) {
    const uint64_t row = (x << (i + 1) & ~lowBits(2 * i + 2)) | uint64_t(1) << 2 * i;
    missing += (x >> i & 1) * (row & lowBits(19));
  }
  return x * x - missing;
}

/// One interpolator: value ± slope * x ± curvature * x², where x is the bits after those that select the segment.
/// `weight` bits of the sum are after the point, and `bias` rounds it.
struct Interpolator {
  const Segment *segments;
  unsigned indexBits, valueShift, slopeShift, weight;
  bool isFalling, isConcave;
  uint64_t bias;

  uint64_t operator()(uint32_t segment, uint32_t fraction) const {
    const uint64_t x = fraction & lowBits(23 - indexBits);
    // With 16 bits the reciprocal squares 2 * x, so other columns are omitted.
    const uint64_t square = indexBits == 7 ? truncatedSquare(x << 1) >> 2 : truncatedSquare(x);
    const Segment &chosen = segments[segment];
    const uint64_t linear = chosen.slope * x << slopeShift, quadratic = chosen.curvature * square;
    return (uint64_t(chosen.value) << valueShift) + (isFalling ? 0 - linear : linear) +
           (isConcave ? 0 - quadratic : quadratic) + (bias >> (87 - weight));
  }
  uint64_t operator()(uint32_t fraction) const { return (*this)(fraction >> (23 - indexBits), fraction); }
};
constexpr Interpolator reciprocal{reciprocalTable, 7, 30, 17, 56, true, false, 0x67e7000000000000};
constexpr Interpolator inverseRoot{inverseRootTable, 6, 31, 17, 57, true, false, 0x7fff800000000000};
constexpr Interpolator root{rootTable, 6, 33, 18, 58, false, true, 0x7fff800000000000};
constexpr Interpolator sine{sineTable, 6, 31, 19, 56, false, true, 0};
constexpr Interpolator logarithm{logarithmTable, 6, 30, 18, 56, false, true, 0x868b000000000000};
constexpr Interpolator exponential{exponentialTable, 6, 32, 19, 57, false, false, 0x6fc4000000000000};

/// One octave of tanh, with its own segments and precision. `indexBits` bits select the segment, starting at `first`.
/// `weight` bits of the sum and 24 bits of a segment's value are after the point.
struct Octave {
  uint8_t indexBits, weight, first;
};
constexpr Octave tangentOctaves[] = {{0, 60, 0},  {0, 58, 1},  {0, 56, 2},  {1, 56, 3},  {1, 55, 5}, {2, 56, 7},
                                     {2, 55, 11}, {2, 54, 15}, {3, 55, 19}, {4, 57, 27}, {3, 55, 43}};
constexpr int firstTangentOctave = -8;

/// A finite, non-zero number: (1 + fraction / 2^23) * 2^exponent.
struct Source {
  enum class Kind : uint8_t { Number, Zero, Infinite, NaN } kind;
  bool isNegative;
  int exponent;
  uint32_t fraction;
  bool isSubnormal;
};

Source sourceOf(uint32_t code, bool flush) {
  const bool isNegative = code >> 31 != 0;
  const uint32_t fraction = code & lowBits(23), field = code >> 23 & 255;
  using enum Source::Kind;
  if (field == 255)
    return {fraction != 0 ? NaN : Infinite, isNegative, 0, 0, false};
  if (field != 0)
    return {Number, isNegative, int(field) - 127, fraction, false};
  if (fraction == 0 || flush)
    return {Zero, isNegative, 0, 0, false};
  const int shift = std::countl_zero(fraction) - 8;
  return {Number, isNegative, -126 - shift, uint32_t(fraction << shift & lowBits(23)), true};
}

uint32_t sign(bool isNegative) { return isNegative ? signBit : 0; }

/// Returns the code of a number, rounded to nearest if it is subnormal.
uint32_t packed(bool isNegative, int exponent, uint32_t fraction, bool flush) {
  if (exponent >= -126 && exponent <= 127)
    return sign(isNegative) | uint32_t(exponent + 127) << 23 | fraction;
  Number number = Number::scaled(isNegative, fraction | uint32_t(1) << 23, exponent - 23);
  number.isSubnormalFirst = true;
  return uint32_t(store(number, f32, {.flush = flush}));
}

/// Returns the code of `sum`, reduced to its leading bit and the 23 bits after it.
uint32_t normalised(bool isNegative, uint64_t sum, unsigned weight) {
  if (sum == 0)
    return sign(isNegative);
  const int top = 63 - std::countl_zero(sum);
  return packed(isNegative, top - int(weight), uint32_t(sum << (63 - top) >> 40 & lowBits(23)), false);
}

/// Returns sine or cosine. One turn has four quarters of 2^23 steps; the cosine is the sine one quarter further.
uint32_t sineOf(uint32_t code, bool flush, bool isCosine) {
  const Source x = sourceOf(code, flush);
  if (x.kind == Source::Kind::NaN || x.kind == Source::Kind::Infinite)
    return nan;
  // The unit multiplies by 1 / 2pi first and truncates to 24 bits. One turn has 2^25 steps from here on.
  const uint64_t product = (x.fraction | uint64_t(1) << 23) * 0xa2f983;
  const int top = product >> 47 != 0 ? 24 : 23, shift = x.exponent - 24 + top;
  const bool isZero = x.kind == Source::Kind::Zero || shift >= 25 || shift < -24;
  const uint64_t turns = isZero ? 0 : product >> top,
                 steps = shift >= 0 ? turns << (shift & 31) : turns >> (-shift & 31);
  const uint32_t quadrant = (steps >> 23) + (isCosine ? 1 : 0);
  const auto fraction = uint32_t(((quadrant & 1) != 0 ? ~steps : steps) & lowBits(23));
  const bool isNegative = (!isCosine && x.isNegative) != ((quadrant & 2) != 0);
  return normalised(isNegative, sine(fraction), sine.weight);
}

/// Stores a number as f32, rounded to nearest like a multiplication or addition.
uint32_t single(const Number &number, bool flush) { return uint32_t(store(number, f32, {.flush = flush})); }
Number twice(const Number &number) { return read(store(number, f64, {}), f64); }

/// Truncates a code of f32 to a narrower format, as the unit does. Values out of range become infinite.
uint64_t narrowed(uint32_t code, const Format &format) {
  const Number number = read(code, f32);
  const bool isGreat = number.kind == Number::Kind::Finite && number.exponent > format.greatestExponent();
  return store(isGreat ? Number::infinity(number.isNegative) : number, format, {.rounding = Rounding::Zero});
}
uint32_t widened(uint64_t code, const Format &format) { return single(read(code, format), false); }

} // namespace

uint32_t reciprocalApprox(uint32_t code, bool flush) {
  const Source x = sourceOf(code, flush);
  switch (x.kind) {
  case Source::Kind::NaN: return nan;
  case Source::Kind::Infinite: return sign(x.isNegative);
  case Source::Kind::Zero: return sign(x.isNegative) | infinity;
  case Source::Kind::Number: break;
  }
  const uint64_t sum = reciprocal(x.fraction);
  const bool isOne = sum >> reciprocal.weight != 0;
  const auto fraction = uint32_t(sum << (isOne ? 0 : 1) >> (reciprocal.weight - 23) & lowBits(23));
  return packed(x.isNegative, -x.exponent - (isOne ? 0 : 1), fraction, flush);
}

uint32_t inverseRootApprox(uint32_t code, bool flush) {
  const Source x = sourceOf(code, flush);
  if (x.kind == Source::Kind::Zero)
    return sign(x.isNegative) | infinity;
  if (x.kind == Source::Kind::NaN || x.isNegative)
    return nan;
  if (x.kind == Source::Kind::Infinite)
    return 0;
  const bool isOdd = (x.exponent & 1) != 0;
  const int half = (x.exponent - (isOdd ? 1 : 0)) / 2;
  if (!isOdd && x.fraction == 0)
    return packed(false, -half, 0, flush);
  const uint64_t sum = inverseRoot(x.fraction >> 17 | (isOdd ? 64 : 0), x.fraction);
  return packed(false, -half - 1, uint32_t(sum << 1 >> (inverseRoot.weight - 23) & lowBits(23)), flush);
}

uint32_t rootApprox(uint32_t code, bool flush) {
  const Source x = sourceOf(code, flush);
  if (x.kind == Source::Kind::Zero)
    return sign(x.isNegative);
  if (x.kind == Source::Kind::NaN || x.isNegative)
    return nan;
  if (x.kind == Source::Kind::Infinite)
    return infinity;
  const bool isOdd = (x.exponent & 1) != 0;
  const uint64_t sum = root(x.fraction >> 17 | (isOdd ? 64 : 0), x.fraction);
  return packed(false, (x.exponent - (isOdd ? 1 : 0)) / 2, uint32_t(sum >> (root.weight - 23) & lowBits(23)), flush);
}

uint32_t sineApprox(uint32_t code, bool flush) { return sineOf(code, flush, false); }
uint32_t cosineApprox(uint32_t code, bool flush) { return sineOf(code, flush, true); }

uint32_t logarithmApprox(uint32_t code, bool flush) {
  const Source x = sourceOf(code, flush);
  if (x.kind == Source::Kind::Zero)
    return infinity | signBit;
  if (x.kind == Source::Kind::NaN || x.isNegative)
    return nan;
  if (x.kind == Source::Kind::Infinite)
    return infinity;
  // A subnormal number is multiplied by 2^24, and 24 is subtracted at the end.
  const int64_t exponent = x.exponent + (x.isSubnormal ? 24 : 0);
  if (exponent == 0 && x.fraction == 0)
    return 0;
  const auto total = int64_t(logarithm(x.fraction)) + exponent * (int64_t(1) << logarithm.weight);
  const uint64_t magnitude = uint64_t(total < 0 ? -total : total) & ~lowBits(20);
  const uint32_t result = normalised(exponent < 0, magnitude, logarithm.weight);
  return x.isSubnormal ? single(sum(read(result, f32), read(0xc1c00000, f32)), false) : result;
}

uint32_t exponentialApprox(uint32_t code, bool flush) {
  const Source x = sourceOf(code, flush);
  switch (x.kind) {
  case Source::Kind::NaN: return nan;
  case Source::Kind::Infinite: return x.isNegative ? 0 : infinity;
  case Source::Kind::Zero: return one;
  case Source::Kind::Number: break;
  }
  // Below -126 the result may be subnormal, so the unit squares the result for half the argument.
  const bool isSquared =
      !flush && x.isNegative && (x.exponent > 6 || (x.exponent == 6 && x.fraction > (126U << 17 & lowBits(23))));
  const int exponent = x.exponent - (isSquared ? 1 : 0);
  if (exponent >= 8)
    return x.isNegative ? 0 : infinity;
  const uint64_t significand = x.fraction | uint64_t(1) << 23;
  const uint64_t steps = exponent >= 0 ? significand << exponent : exponent < -24 ? 0 : significand >> -exponent;
  auto fraction = uint32_t(steps & lowBits(23));
  int whole = int(steps >> 23);
  if (x.isNegative) {
    whole = -whole - (fraction != 0 ? 1 : 0);
    fraction = fraction != 0 ? ~fraction & lowBits(23) : 0;
  }
  if (whole < -126)
    return 0;
  const uint32_t result = packed(false, whole, exponential(fraction) >> (exponential.weight - 23) & lowBits(23), flush);
  const Number number = read(result, f32);
  return isSquared ? single(product(number, number), false) : result;
}

uint32_t tangentApprox(uint32_t code) {
  const Source x = sourceOf(code, false);
  if (x.kind == Source::Kind::NaN)
    return nan;
  if (x.kind == Source::Kind::Infinite || (x.kind == Source::Kind::Number && x.exponent > 2))
    return sign(x.isNegative) | one;
  if (x.kind == Source::Kind::Zero || x.exponent < firstTangentOctave)
    return code;
  const Octave &octave = tangentOctaves[x.exponent - firstTangentOctave];
  const unsigned bits = 23 - octave.indexBits;
  const Segment &segment = tangentTable[octave.first + (x.fraction >> bits)];
  const uint64_t rest = (x.fraction & lowBits(bits)) >> (bits - 17);
  const uint64_t sum = (uint64_t(segment.value) << (octave.weight - 24)) + (segment.slope * rest << 17) -
                       segment.curvature * truncatedSquare(rest);
  return normalised(x.isNegative, sum, octave.weight);
}

uint64_t exponentialApprox(uint64_t code, const Format &format) {
  return narrowed(exponentialApprox(widened(code, format), true), format);
}
uint64_t tangentApprox(uint64_t code, const Format &format) {
  return narrowed(tangentApprox(widened(code, format)), format);
}

uint32_t quotientApprox(uint32_t a, uint32_t b, bool flush, bool isFull) {
  // The reciprocal flushes subnormal numbers, so small divisors are scaled up and large ones down.
  const Source divisor = sourceOf(b, flush);
  const bool isGreat = isFull && (b & ~signBit) > 0x7e800000 && divisor.kind != Source::Kind::NaN;
  const bool isSmall = !flush && (divisor.isSubnormal || divisor.kind == Source::Kind::Zero);
  const auto times = [&](uint32_t x, uint32_t y) {
    const auto left = std::bit_cast<float>(x), right = std::bit_cast<float>(y);
    return std::bit_cast<uint32_t>(flush ? lanes::multiply<true>(left, right) : lanes::multiply<false>(left, right));
  };
  if (isGreat || isSmall) {
    const uint32_t factor = isGreat ? 0x3e800000 : 0x4b800000;
    b = times(b, factor);
    a = times(a, factor);
  }
  return times(a, reciprocalApprox(b, true));
}

uint64_t reciprocalApprox64(uint64_t code) {
  const auto high = uint32_t(code >> 32);
  const uint32_t sign = high & signBit, field = high >> 20 & 2047, fraction = (high & lowBits(20)) << 3;
  if (field == 2047)
    return uint64_t(fraction != 0 ? nan : sign) << 32;
  if (field == 0)
    return uint64_t(sign | infinity64) << 32;
  const uint64_t sum = reciprocal(fraction);
  const bool isOne = sum >> reciprocal.weight != 0;
  const int exponent = 2046 - int(field) - (isOne ? 0 : 1);
  const uint64_t cut = sum << (isOne ? 0 : 1) >> (reciprocal.weight - 20) & lowBits(20);
  return (sign | (exponent > 0 ? uint64_t(exponent) << 20 | cut : 0)) << 32;
}

uint64_t inverseRootApprox64(uint64_t code) {
  const auto high = uint32_t(code >> 32);
  const uint32_t sign = high & signBit, field = high >> 20 & 2047, fraction = (high & lowBits(20)) << 3;
  if (field == 0)
    return uint64_t(sign | infinity64) << 32;
  if (sign != 0 || (field == 2047 && fraction != 0))
    return uint64_t(nan) << 32;
  if (field == 2047)
    return 0;
  const bool isOdd = (field & 1) == 0;
  const uint64_t half = (3069 - field + (isOdd ? 1 : 0)) / 2;
  if (!isOdd && fraction == 0)
    return half << 52;
  const uint64_t sum = inverseRoot(fraction >> 17 | (isOdd ? 64 : 0), fraction);
  return (half - 1) << 52 | (sum << 1 >> (inverseRoot.weight - 20) & lowBits(20)) << 32;
}

uint64_t inverseRoot64(uint64_t code) {
  const Number source = read(code, f64);
  if (source.isNaN())
    return store(source, f64, {});
  if (source.kind == Number::Kind::Zero)
    return code | uint64_t(infinity64) << 32;
  if (source.isNegative)
    return store(Number::invalid(), f64, {});
  if (source.kind == Number::Kind::Infinite)
    return 0;
  // A subnormal number is multiplied by 2^54, and the result by 2^27.
  const bool isSmall = source.exponent < f64.leastExponent();
  Number x = source;
  x.exponent += isSmall ? 54 : 0;
  const Number first = read(inverseRootApprox64(store(x, f64, {})), f64), unit = read(f64.one(), f64);
  const Number error = twice(fused(x, negative(twice(product(first, first))), unit));
  const Number factor = twice(fused(error, read(0x3fd8000000000000, f64), read(0x3fe0000000000000, f64)));
  Number result = twice(fused(factor, twice(product(first, error)), first));
  result.exponent += isSmall ? 27 : 0;
  return store(result, f64, {});
}

} // namespace ptxray::numbers
