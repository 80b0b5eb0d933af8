#pragma once
// Values of real functions at random points: elements of two prime fields, and a floating point number.
//
// A sum or product is that of the field modulo `order`. A power of two is a power of a generator, so its exponent is an
// element of the field modulo `orderOfExponents`. Each value is drawn `draws` times independently.
#include <array>
#include <compare>
#include <cstdint>

namespace ptxray::equal {

inline constexpr uint64_t orderOfExponents = 2305843009213688159, order = 2 * orderOfExponents + 1; // both are prime
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
  bool hasExponent = true;                         // false for powers of two, which have no element as an exponent
  bool isConstant = false;
  Kind kind = Kind::Finite;
  double number = 0; // the value for the contents of the launch; NaN if not known

  /// Returns whether two values are equal at all points.
  bool equals(const Real &other) const { return kind == other.kind && kind != Kind::Undefined && value == other.value; }
  bool isZero() const { return kind == Kind::Finite && value == std::array<uint64_t, draws>{}; }
  Key key() const;
};

/// Returns a random value that belongs to the key. `number`: its value for the contents of the launch.
Real symbol(Key key, double number);
/// Returns significand * 2^exponent.
Real rational(bool isNegative, unsigned __int128 significand, int exponent);
Real infinite(bool isNegative);
Real sum(const Real &a, const Real &b);
Real negative(const Real &a);
Real product(const Real &a, const Real &b);
Real quotient(const Real &a, const Real &b);
/// Returns 2^a for a value with an exponent.
Real powerOf2(const Real &a);

} // namespace ptxray::equal
