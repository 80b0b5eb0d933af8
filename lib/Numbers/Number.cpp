#include "Numbers/Number.h"
#include <algorithm>
#include <bit>
#include <cassert>

namespace ptxray::numbers {
namespace {

constexpr Wide lowBits(int count) { return count >= 128 ? ~Wide(0) : (Wide(1) << count) - 1; }

int leadingZeros(Wide x) {
  const auto high = uint64_t(x >> 64);
  return high != 0 ? std::countl_zero(high) : 64 + std::countl_zero(uint64_t(x));
}

/// Returns `x` shifted right. The last bit is set if any bit is lost.
Wide shifted(Wide x, int count) {
  if (count >= 128)
    return x != 0 ? 1 : 0;
  return x >> count | ((x & lowBits(count)) != 0 ? 1 : 0);
}

uint64_t high(const Number &number) {
  assert(uint64_t(number.significand) == 0 && "no more than 64 bits are read");
  return uint64_t(number.significand >> 64);
}

/// Returns `x / 2^cut`, rounded. `cut` is at least 0 and may exceed 128.
Wide cutOff(Wide x, int cut, bool isNegative, const Storing &how) {
  const Wide kept = cut >= 128 ? 0 : x >> cut, rest = x & lowBits(cut);
  const Wide half = cut == 0 || cut > 128 ? 0 : Wide(1) << (cut - 1);
  bool isUp = false;
  switch (how.rounding) {
  case Rounding::Nearest: isUp = half != 0 && (rest > half || (rest == half && (kept & 1) != 0)); break;
  case Rounding::NearestAway: isUp = half != 0 && rest >= half; break;
  case Rounding::Zero: break;
  case Rounding::Down: isUp = rest != 0 && isNegative; break;
  case Rounding::Up: isUp = rest != 0 && !isNegative; break;
  case Rounding::Random: {
    const int unused = cut - how.randomBits;
    const Wide compared = unused >= 128 ? 0 : unused >= 0 ? rest >> unused : rest << -unused;
    isUp = ((compared + how.random) >> how.randomBits) != 0;
  }
  }
  return kept + (isUp ? 1 : 0);
}

bool overflows(Rounding rounding, bool isNegative) {
  return rounding == Rounding::Down ? isNegative : rounding == Rounding::Up ? !isNegative : rounding != Rounding::Zero;
}

/// Returns the code of NaN: all bits set except the sign. For f64, sign and fraction of the source remain.
uint64_t codeOfNaN(const Number &number, const Format &format) {
  if (format.specials == Specials::Numbers)
    return format.greatest();
  if (!number.isWide && format.fractionBits < f64.fractionBits)
    return format.ones() << format.unusedBits;
  return (number.isNegative ? format.signBit() : 0) | format.infinity() | uint64_t(1) << (format.fractionBits - 1) |
         uint64_t(number.significand >> (128 - format.fractionBits));
}

/// Returns the code of a finite number's absolute value, or a code above the greatest one if it overflows.
uint64_t codeOf(const Number &number, const Format &format, const Storing &how) {
  const int least = format.leastExponent(), exponent = std::max(number.exponent, least);
  const int cut = 127 - number.exponent + exponent - format.fractionBits;
  auto code = uint64_t(cutOff(number.significand, cut, number.isNegative && format.isSigned, how));
  if (!format.hasZero)
    code -= code != 0 ? 1 : 0;
  // Let a carry out of the fraction increment the exponent, which is correct.
  return (uint64_t(exponent - least) << format.fractionBits) + code;
}

} // namespace

Number Number::scaled(bool isNegative, Wide significand, int exponent) {
  if (significand == 0)
    return zero(isNegative);
  const int zeros = leadingZeros(significand);
  return {.kind = Kind::Finite,
          .isNegative = isNegative,
          .exponent = exponent + 127 - zeros,
          .significand = significand << zeros};
}

Number read(uint64_t bits, const Format &format, bool flush) {
  const bool isNegative = (bits & format.signBit()) != 0;
  const uint64_t code = bits >> format.unusedBits & format.ones(), hidden = uint64_t(1) << format.fractionBits;
  const uint64_t fraction = code & (hidden - 1);
  const auto exponent = int(code >> format.fractionBits);
  const bool isNaN = format.hasInfinity() ? code > format.infinity() : format.hasNaN() && code == format.ones();
  if (isNaN)
    return {.kind = Number::Kind::NaN,
            .isNegative = isNegative,
            .isWide = format.width() == 64,
            .significand = Wide(fraction) << 64 << (64 - format.fractionBits)};
  if (format.hasInfinity() && code == format.infinity())
    return Number::infinity(isNegative);
  const int unit = -format.bias - format.fractionBits;
  if (exponent == 0 && format.hasZero)
    return Number::scaled(isNegative, flush ? 0 : fraction, unit + 1);
  return Number::scaled(isNegative, fraction | hidden, unit + exponent);
}

uint64_t store(const Number &number, const Format &format, const Storing &how) {
  if (number.isNaN())
    return how.saturate ? 0 : codeOfNaN(number, format);
  // Formats without a sign ignore it.
  const bool hasMinus = number.isCancelled ? how.rounding == Rounding::Down : number.isNegative;
  const bool isNegative = hasMinus && format.isSigned;
  if (isNegative && (how.saturate || how.relu))
    return 0;
  const uint64_t sign = isNegative ? format.signBit() : 0;
  if (number.kind == Number::Kind::Zero)
    return sign;
  if (how.saturate && (number.kind == Number::Kind::Infinite || number.exponent >= 0))
    return format.one();
  const bool isInfinite = number.kind == Number::Kind::Infinite;
  const bool isTooGreat = isInfinite || number.exponent > format.greatestExponent();
  const uint64_t code = isTooGreat ? format.ones() : codeOf(number, format, how), greatest = format.greatest();
  if (isTooGreat || code << format.unusedBits > greatest) {
    if (how.finite || !format.hasNaN() || (!isInfinite && !overflows(how.rounding, isNegative)))
      return sign | greatest;
    return sign | (format.hasInfinity() ? format.infinity() : format.ones()) << format.unusedBits;
  }
  if (how.flush && (code >> format.fractionBits == 0 || isTiny(number, format, how)))
    return sign;
  return sign | code << format.unusedBits;
}

bool isTiny(const Number &number, const Format &format, const Storing &how) {
  if (number.isTiny)
    return true;
  if (number.kind != Number::Kind::Finite || number.exponent >= format.leastExponent() || number.isSubnormalFirst)
    return false;
  // Rounding up to the next power of two adds one bit.
  const Wide code = cutOff(number.significand, 127 - format.fractionBits, number.isNegative, how);
  return number.exponent < format.leastExponent() - 1 || code >> (format.fractionBits + 1) == 0;
}

uint32_t nearestAwayTf32(uint32_t code, bool finite) {
  const uint64_t ones = tf32.infinity() << tf32.unusedBits, unit = 1U << tf32.unusedBits;
  const uint64_t magnitude = code & ~tf32.signBit(),
                 rounded = (magnitude < ones ? magnitude + unit / 2 : magnitude) & ~(unit - 1);
  return uint32_t((code & tf32.signBit()) | (finite && rounded >= ones ? rounded - unit : rounded));
}

Number fromInteger(uint64_t bits, unsigned width, bool isSigned) {
  const unsigned unused = 64 - width;
  const bool isNegative = isSigned && (bits >> (width - 1) & 1) != 0;
  const uint64_t value = isSigned ? uint64_t(int64_t(bits << unused) >> unused) : bits << unused >> unused;
  return Number::scaled(isNegative, isNegative ? 0 - value : value, 0);
}

uint64_t toInteger(const Number &number, unsigned width, bool isSigned, Rounding rounding, uint64_t whenNaN) {
  if (number.isNaN())
    return whenNaN;
  const uint64_t ones = ~uint64_t(0) >> (64 - width), signBit = uint64_t(1) << (width - 1);
  const uint64_t most = number.isNegative ? (isSigned ? signBit : 0) : isSigned ? signBit - 1 : ones;
  Wide value = most;
  if (number.kind == Number::Kind::Zero)
    value = 0;
  else if (number.kind == Number::Kind::Finite && number.exponent < 64)
    value =
        std::min(value, cutOff(number.significand, 127 - number.exponent, number.isNegative, {.rounding = rounding}));
  return (number.isNegative ? 0 - uint64_t(value) : uint64_t(value)) & ones;
}

uint64_t integerOfNaN(const Format &format, unsigned width) {
  return width == 64 || format.width() == 64 ? uint64_t(1) << (width - 1) : 0;
}

Number rounded(const Number &number, Rounding rounding) {
  if (number.kind != Number::Kind::Finite || number.exponent >= 127)
    return number;
  const Wide whole = cutOff(number.significand, 127 - number.exponent, number.isNegative, {.rounding = rounding});
  return Number::scaled(number.isNegative, whole, 0);
}

Number negative(const Number &a) {
  Number result = a;
  result.isNegative = a.isNegative != !a.isNaN();
  return result;
}

Number absolute(const Number &a) { return a.isNegative ? negative(a) : a; }

Number sum(const Number &a, const Number &b) {
  if (a.isNaN() || b.isNaN())
    return b.isNaN() ? b : a;
  const bool isSameSign = a.isNegative == b.isNegative;
  if (a.kind == Number::Kind::Infinite || b.kind == Number::Kind::Infinite)
    return a.kind != Number::Kind::Infinite || isSameSign ? (b.kind == Number::Kind::Infinite ? b : a)
           : b.kind == Number::Kind::Infinite             ? Number::invalid()
                                                          : a;
  if (a.kind == Number::Kind::Zero && b.kind == Number::Kind::Zero)
    return {Number::Kind::Zero, isSameSign && a.isNegative, !isSameSign || a.isCancelled || b.isCancelled};
  if (a.kind == Number::Kind::Zero || b.kind == Number::Kind::Zero)
    return a.kind == Number::Kind::Zero ? b : a;
  const bool isLess = a.exponent < b.exponent || (a.exponent == b.exponent && a.significand < b.significand);
  const Number &greater = isLess ? b : a, &less = isLess ? a : b;
  const Wide first = shifted(greater.significand, 1);
  const Wide second = shifted(less.significand, 1 + greater.exponent - less.exponent);
  const Wide significand = isSameSign ? first + second : first - second;
  if (significand == 0)
    return {Number::Kind::Zero, false, true};
  return Number::scaled(greater.isNegative, significand, greater.exponent - 126);
}

Number product(const Number &a, const Number &b) {
  if (a.isNaN() || b.isNaN())
    return b.isNaN() ? b : a;
  const bool isNegative = a.isNegative != b.isNegative;
  if (a.kind == Number::Kind::Finite && b.kind == Number::Kind::Finite)
    return Number::scaled(isNegative, Wide(high(a)) * high(b), a.exponent + b.exponent - 126);
  const bool hasZero = a.kind == Number::Kind::Zero || b.kind == Number::Kind::Zero;
  const bool hasInfinity = a.kind == Number::Kind::Infinite || b.kind == Number::Kind::Infinite;
  return !hasZero ? Number::infinity(isNegative) : hasInfinity ? Number::invalid() : Number::zero(isNegative);
}

Number fused(const Number &a, const Number &b, const Number &c) {
  return c.isNaN() && !b.isNaN() ? c : sum(c, product(a, b)); // a NaN in b takes precedence over c, and c over a
}

Number quotient(const Number &a, const Number &b) {
  if (a.isNaN() || b.isNaN())
    return a.isNaN() ? a : b;
  const bool isNegative = a.isNegative != b.isNegative;
  if (a.kind == b.kind && a.kind != Number::Kind::Finite)
    return Number::invalid();
  if (a.kind == Number::Kind::Infinite || b.kind == Number::Kind::Zero)
    return Number::infinity(isNegative);
  if (a.kind == Number::Kind::Zero || b.kind == Number::Kind::Infinite)
    return Number::zero(isNegative);
  const Wide dividend = Wide(high(a)) << 63, divisor = high(b), whole = dividend / divisor;
  const Wide isMore = dividend % divisor != 0 ? 1 : 0;
  Number result = Number::scaled(isNegative, whole << 1 | isMore, a.exponent - b.exponent - 64);
  result.isSubnormalFirst = true;
  return result;
}

Number squareRoot(const Number &a) {
  if (a.isNaN() || a.kind == Number::Kind::Zero)
    return a;
  if (a.isNegative)
    return Number::invalid();
  if (a.kind == Number::Kind::Infinite)
    return a;
  const bool isOdd = (a.exponent & 1) != 0;
  Wide rest = Wide(high(a)) << (isOdd ? 64 : 63), root = 0;
  for (Wide bit = Wide(1) << 126; bit != 0; bit >>= 2) { // one digit per iteration
    const bool fits = rest >= root + bit;
    rest -= fits ? root + bit : 0;
    root = (root >> 1) + (fits ? bit : 0);
  }
  const Wide isMore = rest != 0 ? 1 : 0;
  return Number::scaled(false, root << 1 | isMore, (a.exponent - (isOdd ? 1 : 0)) / 2 - 64);
}

std::partial_ordering compare(const Number &a, const Number &b) {
  if (a.isNaN() || b.isNaN())
    return std::partial_ordering::unordered;
  // Orders zero, finite numbers and infinity by absolute value.
  const auto rank = [](const Number &x) {
    return x.kind == Number::Kind::Zero ? 0 : x.kind == Number::Kind::Finite ? 1 : 2;
  };
  const auto sign = [](const Number &x) { return x.kind == Number::Kind::Zero ? 0 : x.isNegative ? -1 : 1; };
  if (sign(a) != sign(b) || sign(a) == 0)
    return sign(a) <=> sign(b);
  const Number &x = a.isNegative ? b : a, &y = a.isNegative ? a : b;
  if (rank(x) != rank(y) || rank(x) == 2)
    return rank(x) <=> rank(y);
  return x.exponent != y.exponent ? x.exponent <=> y.exponent : x.significand <=> y.significand;
}

Number chosen(const Number &a, const Number &b, Choosing how) {
  if (a.isNaN() || b.isNaN())
    if (how.passesNaN || a.isNaN() == b.isNaN())
      return b.isNaN() ? b : a;
  const Number x = how.absolute ? absolute(a) : a, y = how.absolute ? absolute(b) : b;
  const std::partial_ordering order = compare(x, y);
  const bool isFirstLess = order < 0 || (order == 0 && x.isNegative);
  Number result = a.isNaN() ? y : b.isNaN() ? x : isFirstLess != how.greatest ? x : y;
  if (how.xorSign)
    result.isNegative = a.isNegative != b.isNegative;
  return result;
}

Number chosen(const Number &a, const Number &b, const Number &c, Choosing how) {
  return chosen(chosen(a, b, how), c, how);
}

} // namespace ptxray::numbers
