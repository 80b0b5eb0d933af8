#pragma once
// Values of real functions at random points: elements of two prime fields, and a floating-point number.
//
// Sums and products are computed modulo `order`. A power of two is represented by a power of a generator, so its
// exponent is an element of the field modulo `orderOfExponents`. Each value is drawn independently `draws` times.
#include <array>
#include <compare>
#include <cstdint>

namespace ptxray::equal {

inline constexpr uint64_t orderOfExponents = 2305843009213688159, order = 2 * orderOfExponents + 1; // prime numbers
inline constexpr unsigned draws = 2;

/// A fingerprint of 128 bits.
struct Key {
  uint64_t low = 0, high = 0;
  auto operator<=>(const Key &) const = default;
};
Key mixed(Key a, uint64_t b);
inline Key mixed(Key a, Key b) { return mixed(mixed(a, b.low), b.high); }

/// The value of a real function at the random points.
struct Real {
  enum class Kind : uint8_t { Finite, PlusInfinity, MinusInfinity, Undefined };

  std::array<uint64_t, draws> value{}, exponent{}; // modulo `order` and `orderOfExponents`
  bool hasExponent = true;                         // false for powers of two, which cannot be exponents themselves
  bool isConstant = false;
  Kind kind = Kind::Finite;
  double number = 0; // the value for the contents of the launch; NaN if unknown

  /// Returns whether two values are equal at all points.
  bool equals(const Real &other) const { return kind == other.kind && kind != Kind::Undefined && value == other.value; }
  bool isZero() const { return kind == Kind::Finite && value == std::array<uint64_t, draws>{}; }
  Key key() const;
};

/// Returns a random value that is determined by the key. `number` is its value for the contents of the launch.
Real symbol(Key key, double number);
/// Returns significand * 2^exponent.
Real rational(bool isNegative, unsigned __int128 significand, int exponent);
Real infinite(bool isNegative);
Real sum(const Real &a, const Real &b);
Real negative(const Real &a);
Real product(const Real &a, const Real &b);
Real quotient(const Real &a, const Real &b);
/// Returns 2^a. `a` must have an exponent.
Real powerOf2(const Real &a);

} // namespace ptxray::equal
