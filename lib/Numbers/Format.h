#pragma once
// The formats of floating point numbers in PTX, as data.
#include <cstdint>

namespace ptxray::numbers {

/// Formats differ in what the codes with the greatest exponent mean.
enum class Specials : uint8_t {
  Ieee,    // infinity and NaN
  OneNaN,  // numbers, but the code of ones alone is NaN
  Numbers, // numbers
};

struct Format {
  const char *name;
  uint8_t exponentBits, fractionBits;
  int16_t bias;
  Specials specials = Specials::Ieee;
  bool isSigned = true;
  bool hasZero = true;    // and subnormal numbers: what the least exponent means
  uint8_t unusedBits = 0; // after the fraction

  /// All bits that have a meaning, but the sign, lowest first.
  constexpr uint64_t ones() const { return (uint64_t(1) << (exponentBits + fractionBits)) - 1; }
  constexpr uint64_t one() const { return uint64_t(bias) << fractionBits << unusedBits; }
  constexpr uint64_t signBit() const {
    return isSigned ? uint64_t(1) << (exponentBits + fractionBits + unusedBits) : uint64_t(0);
  }
  /// Bits of an element, among them those without a meaning.
  constexpr unsigned width() const { return exponentBits + fractionBits + unusedBits + (isSigned ? 1 : 0); }
  /// The exponents of the least and the greatest normal number.
  constexpr int leastExponent() const { return (hasZero ? 1 : 0) - bias; }
  constexpr int greatestExponent() const {
    const bool isTaken = specials == Specials::Ieee || (specials == Specials::OneNaN && fractionBits == 0);
    return (1 << exponentBits) - (isTaken ? 2 : 1) - bias;
  }
  /// The greatest number.
  constexpr uint64_t greatest() const {
    const uint64_t code = specials == Specials::Ieee     ? infinity() - 1
                          : specials == Specials::OneNaN ? ones() - 1
                                                         : ones();
    return code << unusedBits;
  }
  constexpr bool hasInfinity() const { return specials == Specials::Ieee; }
  constexpr bool hasNaN() const { return specials != Specials::Numbers; }
  /// The bits of infinity, without the unused ones, if the format has an infinity.
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
