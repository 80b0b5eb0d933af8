#pragma once
// Exact numbers: what the formula of an instruction computes with. A number is rounded once, when it is stored, and
// nothing depends on how the processor rounds.
//   fma.rm.ftz.f32   store(fused(read(a, f32, true), read(b, f32, true), read(c, f32, true)), f32, {.rounding = Down,
//   .flush = true}) cvt.rn.f16.f32   store(read(a, f32), f16, {})
#include "Numbers/Format.h"
#include <compare>

namespace ptxray::numbers {

__extension__ typedef unsigned __int128 Wide;

enum class Rounding : uint8_t {
  Nearest,     // .rn: ties to even
  NearestAway, // .rna: ties away from zero
  Zero,        // .rz
  Down,        // .rm
  Up,          // .rp
  Random,      // .rs: up when random bits, added to the bits that are cut off, carry
};

struct Number {
  enum class Kind : uint8_t { Zero, Finite, Infinite, NaN };

  Kind kind = Kind::Zero;
  bool isNegative = false;
  bool isCancelled = false; // a zero that is the sum of opposite numbers; its sign depends on the rounding
  bool isWide = false;      // a NaN of f64, of which conversions keep sign and fraction
  bool isTiny = false;      // rounded up to the least normal number, which it would not reach with smaller exponents
  bool isSubnormalFirst = false; // a quotient, or an approximation: `.ftz` flushes what it is when it is rounded
  int32_t exponent = 0;          // of a finite number, which is significand / 2^127 * 2^exponent
  Wide significand = 0; // at least 2^127; odd when less than its last bit was cut off. Of NaN: the source's fraction

  bool isNaN() const { return kind == Kind::NaN; }
  bool isFinite() const { return kind == Kind::Zero || kind == Kind::Finite; }
  /// Returns the NaN that an operation without a result gives.
  static Number invalid() { return {.kind = Kind::NaN, .isNegative = true, .significand = Wide(1) << 127}; }
  static Number infinity(bool isNegative) { return {Kind::Infinite, isNegative}; }
  static Number zero(bool isNegative) { return {Kind::Zero, isNegative}; }
  /// `significand` times two to `exponent`.
  static Number scaled(bool isNegative, Wide significand, int exponent);
};

/// The modifiers of an instruction say this about its result.
struct Storing {
  Rounding rounding = Rounding::Nearest;
  bool flush = false;     // .ftz: what would be less than a normal number with smaller exponents, too, becomes zero
  bool saturate = false;  // .sat: between 0 and 1, NaN becomes 0
  bool finite = false;    // .satfinite: no infinity
  bool relu = false;      // .relu: not negative
  uint8_t randomBits = 0; // .rs: how many, and which
  uint32_t random = 0;
};

/// If `flush` is set, a subnormal number is a zero.
Number read(uint64_t bits, const Format &format, bool flush = false);
uint64_t store(const Number &number, const Format &format, const Storing &how);
/// Is true if the number is less than the least normal one when it is rounded to as many bits as normal numbers have.
bool isTiny(const Number &number, const Format &format, const Storing &how);
/// cvt.rna.tf32.f32 is made of instructions for integers, which cut NaN and, with `.satfinite`, subtract from it.
uint32_t nearestAwayTf32(uint32_t code, bool finite);

/// An integer with this many bits.
Number fromInteger(uint64_t bits, unsigned width, bool isSigned);
/// The nearest integer that there is; `whenNaN` for NaN.
uint64_t toInteger(const Number &number, unsigned width, bool isSigned, Rounding rounding, uint64_t whenNaN);
/// Returns the integer that `cvt` makes of NaN of that format.
uint64_t integerOfNaN(const Format &format, unsigned width);
/// .rni and the like, from float to float.
Number rounded(const Number &number, Rounding rounding);

/// NaN has no sign to change. Of two NaN the result is that of the last operand, but of the second one of `fused` and
/// of the first one of `quotient`.
Number negative(const Number &a);
Number absolute(const Number &a);
Number sum(const Number &a, const Number &b);
Number product(const Number &a, const Number &b); // of numbers as they were read
Number fused(const Number &a, const Number &b, const Number &c);
Number quotient(const Number &a, const Number &b); // of numbers as they were read
Number squareRoot(const Number &a);                // of a number as it was read

/// -0 equals +0, and NaN is unordered.
std::partial_ordering compare(const Number &a, const Number &b);

/// The variants of `min` and `max`, for which -0 is less than +0.
struct Choosing {
  bool greatest = false;  // max
  bool passesNaN = false; // .NaN
  bool absolute = false;  // .abs
  bool xorSign = false;   // .xorsign
};
Number chosen(const Number &a, const Number &b, Choosing how);
Number chosen(const Number &a, const Number &b, const Number &c, Choosing how);

} // namespace ptxray::numbers
