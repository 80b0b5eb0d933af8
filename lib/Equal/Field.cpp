#include "Equal/Field.h"
#include <cmath>
#include <limits>

namespace ptxray::equal {

static uint64_t scrambled(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

Key mixed(Key a, uint64_t b) {
  return {scrambled(a.low ^ scrambled(b + 0x51ed270b7a2f9c31)),
          scrambled(a.high + scrambled(b ^ 0xd6e8feb86659fd93) + a.low)};
}

static uint64_t times(uint64_t a, uint64_t b, uint64_t modulus) {
  return static_cast<uint64_t>(static_cast<unsigned __int128>(a) * b % modulus);
}
static uint64_t plus(uint64_t a, uint64_t b, uint64_t modulus) {
  return static_cast<uint64_t>((static_cast<unsigned __int128>(a) + b) % modulus);
}
static uint64_t power(uint64_t base, uint64_t exponent, uint64_t modulus) {
  uint64_t result = 1;
  for (; exponent; exponent >>= 1) {
    if (exponent & 1)
      result = times(result, base, modulus);
    base = times(base, base, modulus);
  }
  return result;
}
static uint64_t inverse(uint64_t a, uint64_t modulus) { return power(a, modulus - 2, modulus); }

Key Real::key() const {
  Key key{static_cast<uint64_t>(kind), 7};
  for (const uint64_t one : value)
    key = mixed(key, one);
  return key;
}

Real symbol(Key key, double number) {
  Real result;
  for (unsigned i = 0; i < draws; ++i) {
    result.value[i] = mixed(key, 2 * i).low % order;
    result.exponent[i] = mixed(key, 2 * i + 1).low % orderOfExponents;
  }
  result.number = number;
  return result;
}

Real infinite(bool isNegative) {
  Real result;
  result.kind = isNegative ? Real::Kind::MinusInfinity : Real::Kind::PlusInfinity;
  result.isConstant = true;
  result.number = isNegative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
  return result;
}

Real rational(bool isNegative, unsigned __int128 significand, int exponent) {
  Real result;
  result.isConstant = true;
  result.number = std::ldexp(static_cast<double>(significand), exponent);
  const auto in = [&](uint64_t modulus) {
    const auto whole = static_cast<uint64_t>(significand % modulus);
    const uint64_t scale = power(2, static_cast<uint64_t>(std::abs(exponent)), modulus);
    return times(whole, exponent < 0 ? inverse(scale, modulus) : scale, modulus);
  };
  result.value.fill(in(order));
  result.exponent.fill(in(orderOfExponents));
  return isNegative ? negative(result) : result;
}

/// Returns an opaque value that is identified by the values from which it is computed.
static Real undefined(const Real &a, const Real &b) {
  Real result = symbol(mixed(a.key(), b.key()), std::numeric_limits<double>::quiet_NaN());
  result.kind = Real::Kind::Undefined;
  return result;
}

Real negative(const Real &a) {
  Real result = a;
  result.number = -a.number;
  if (a.kind == Real::Kind::PlusInfinity || a.kind == Real::Kind::MinusInfinity) {
    result.kind = a.kind == Real::Kind::PlusInfinity ? Real::Kind::MinusInfinity : Real::Kind::PlusInfinity;
    return result;
  }
  for (unsigned i = 0; i < draws; ++i) {
    result.value[i] = a.value[i] ? order - a.value[i] : 0;
    result.exponent[i] = a.exponent[i] ? orderOfExponents - a.exponent[i] : 0;
  }
  return result;
}

static bool isInfinite(const Real &a) {
  return a.kind == Real::Kind::PlusInfinity || a.kind == Real::Kind::MinusInfinity;
}
static bool isUndefined(const Real &a) { return a.kind == Real::Kind::Undefined; }

Real sum(const Real &a, const Real &b) {
  if (isUndefined(a) || isUndefined(b) || (isInfinite(a) && isInfinite(b) && a.kind != b.kind))
    return undefined(a, b);
  if (isInfinite(a) || isInfinite(b))
    return isInfinite(a) ? a : b;
  Real result;
  for (unsigned i = 0; i < draws; ++i) {
    result.value[i] = plus(a.value[i], b.value[i], order);
    result.exponent[i] = plus(a.exponent[i], b.exponent[i], orderOfExponents);
  }
  result.hasExponent = a.hasExponent && b.hasExponent;
  result.isConstant = a.isConstant && b.isConstant;
  result.number = a.number + b.number;
  return result;
}

Real product(const Real &a, const Real &b) {
  if (isUndefined(a) || isUndefined(b))
    return undefined(a, b);
  if (isInfinite(a) || isInfinite(b)) {
    const Real &other = isInfinite(a) ? b : a;
    if (!other.isConstant || other.number == 0)
      return undefined(a, b);
    return infinite((a.number < 0) != (b.number < 0));
  }
  Real result;
  for (unsigned i = 0; i < draws; ++i) {
    result.value[i] = times(a.value[i], b.value[i], order);
    result.exponent[i] = times(a.exponent[i], b.exponent[i], orderOfExponents);
  }
  result.hasExponent = (a.hasExponent && b.hasExponent) || result.isZero();
  result.isConstant = a.isConstant && b.isConstant;
  result.number = a.number * b.number;
  return result;
}

Real quotient(const Real &a, const Real &b) {
  if (isUndefined(a) || isUndefined(b) || isInfinite(a) || b.isZero())
    return undefined(a, b);
  if (isInfinite(b))
    return rational(false, 0, 0);
  Real result;
  for (unsigned i = 0; i < draws; ++i) {
    result.value[i] = times(a.value[i], inverse(b.value[i], order), order);
    result.exponent[i] = times(a.exponent[i], inverse(b.exponent[i], orderOfExponents), orderOfExponents);
  }
  result.hasExponent = a.hasExponent && b.hasExponent;
  result.isConstant = a.isConstant && b.isConstant;
  result.number = a.number / b.number;
  return result;
}

Real powerOf2(const Real &a) {
  constexpr uint64_t generator = 2; // an element of order `orderOfExponents`
  if (a.kind == Real::Kind::MinusInfinity)
    return rational(false, 0, 0);
  if (a.kind != Real::Kind::Finite || !a.hasExponent) {
    Real result = symbol(mixed(a.key(), 2), std::exp2(a.number));
    if (a.kind != Real::Kind::Finite)
      result.kind = Real::Kind::Undefined;
    result.hasExponent = false;
    return result;
  }
  Real result;
  for (unsigned i = 0; i < draws; ++i)
    result.value[i] = power(generator, a.exponent[i], order);
  result.hasExponent = false;
  result.number = std::exp2(a.number);
  return result;
}

} // namespace ptxray::equal
