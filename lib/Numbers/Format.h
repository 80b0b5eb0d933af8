#pragma once
// The floating-point formats of PTX, as data.
#include <cstdint>

namespace ptxray::numbers {

/// The meaning of codes with the maximum exponent.
enum class Specials : uint8_t {
  Ieee,    // infinity and NaN
  OneNaN,  // only finite numbers; the code with all bits set is NaN
  Numbers, // finite numbers only
};

struct Format {
  const char *name;
  uint8_t exponentBits, fractionBits;
  int16_t bias;
  Specials specials = Specials::Ieee;
  bool isSigned = true;
  bool hasZero = true;    // the minimum exponent represents zero and subnormal numbers
  uint8_t unusedBits = 0; // padding after the fraction

  /// Returns a mask of all meaningful bits except the sign, shifted to bit 0.
  constexpr uint64_t ones() const { return (uint64_t(1) << (exponentBits + fractionBits)) - 1; }
  constexpr uint64_t one() const { return uint64_t(bias) << fractionBits << unusedBits; }
  constexpr uint64_t signBit() const {
    return isSigned ? uint64_t(1) << (exponentBits + fractionBits + unusedBits) : uint64_t(0);
  }
  /// Returns the bits that one element occupies, including unused ones.
  constexpr unsigned width() const { return exponentBits + fractionBits + unusedBits + (isSigned ? 1 : 0); }
  /// Return the exponents of the smallest and the largest normal number.
  constexpr int leastExponent() const { return (hasZero ? 1 : 0) - bias; }
  constexpr int greatestExponent() const {
    const bool isTaken = specials == Specials::Ieee || (specials == Specials::OneNaN && fractionBits == 0);
    return (1 << exponentBits) - (isTaken ? 2 : 1) - bias;
  }
  /// Returns the code of the largest finite number.
  constexpr uint64_t greatest() const {
    const uint64_t code = specials == Specials::Ieee     ? infinity() - 1
                          : specials == Specials::OneNaN ? ones() - 1
                                                         : ones();
    return code << unusedBits;
  }
  constexpr bool hasInfinity() const { return specials == Specials::Ieee; }
  constexpr bool hasNaN() const { return specials != Specials::Numbers; }
  /// Returns the code of infinity, without unused bits. The format must have an infinity.
  constexpr uint64_t infinity() const { return ones() ^ ((uint64_t(1) << fractionBits) - 1); }
};

inline constexpr Format f16{"f16", 5, 10, 15}, bf16{"bf16", 8, 7, 127}, f32{"f32", 8, 23, 127},
    f64{"f64", 11, 52, 1023};
inline constexpr Format tf32{"tf32", 8, 10, 127, Specials::Ieee, true, true, 13};
inline constexpr Format e4m3{"e4m3", 4, 3, 7, Specials::OneNaN}, e5m2{"e5m2", 5, 2, 15};
inline constexpr Format e2m3{"e2m3", 2, 3, 1, Specials::Numbers}, e3m2{"e3m2", 3, 2, 3, Specials::Numbers};
inline constexpr Format e2m1{"e2m1", 2, 1, 1, Specials::Numbers};
inline constexpr Format ue8m0{"ue8m0", 8, 0, 127, Specials::OneNaN, false, false};
inline constexpr Format ue4m3{"ue4m3", 4, 3, 7, Specials::OneNaN, false};

} // namespace ptxray::numbers
