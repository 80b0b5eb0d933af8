#pragma once
// Exact numbers, with which the formulas of instructions compute. A number is rounded once, when it is stored. Results
// do not depend on the rounding mode of the processor.
//|   fma.rm.ftz.f32   store(fused(read(a, f32, true), read(b, f32, true), read(c, f32, true)), f32,
//|                          {.rounding = Down, .flush = true})
//|   cvt.rn.f16.f32   store(read(a, f32), f16, {})
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
  Random,      // .rs: rounds up if adding random bits to the truncated bits carries
};

struct Number {
  enum class Kind : uint8_t { Zero, Finite, Infinite, NaN };

  Kind kind = Kind::Zero;
  bool isNegative = false;
  bool isCancelled = false; // zero from a sum of opposite numbers; its sign depends on the rounding
  bool isWide = false;      // NaN of f64, whose sign and fraction survive conversions
  bool isTiny = false;      // rounded up to the smallest normal number, but smaller with an unlimited exponent range
  bool isSubnormalFirst =
      false;            // a quotient or an approximation, which `.ftz` flushes according to the value before rounding
  int32_t exponent = 0; // a finite number is significand / 2^127 * 2^exponent
  Wide significand = 0; // at least 2^127; its lowest bit is sticky. For NaN: the source's fraction

  bool isNaN() const { return kind == Kind::NaN; }
  bool isFinite() const { return kind == Kind::Zero || kind == Kind::Finite; }
  /// Returns the NaN that an invalid operation produces.
  static Number invalid() { return {.kind = Kind::NaN, .isNegative = true, .significand = Wide(1) << 127}; }
  static Number infinity(bool isNegative) { return {Kind::Infinite, isNegative}; }
  static Number zero(bool isNegative) { return {Kind::Zero, isNegative}; }
  /// Returns `significand` * 2^`exponent`.
  static Number scaled(bool isNegative, Wide significand, int exponent);
};

/// The modifiers of an instruction that determine how a result is stored.
struct Storing {
  Rounding rounding = Rounding::Nearest;
  bool flush = false;     // .ftz: results below the normal range before rounding become zero
  bool saturate = false;  // .sat: clamp to [0, 1]; NaN becomes 0
  bool finite = false;    // .satfinite: clamp infinity to the largest finite number
  bool relu = false;      // .relu: clamp negative values to 0
  uint8_t randomBits = 0; // .rs: number of random bits
  uint32_t random = 0;
};

/// Decodes a number. If `flush` is set, a subnormal number becomes zero.
Number read(uint64_t bits, const Format &format, bool flush = false);
uint64_t store(const Number &number, const Format &format, const Storing &how);
/// Returns whether the number is below the smallest normal one after rounding to the precision of normal numbers.
bool isTiny(const Number &number, const Format &format, const Storing &how);
/// Returns cvt.rna.tf32.f32. ptxas implements it with integer instructions, which truncate NaN and, with `.satfinite`,
/// subtract from it.
uint32_t nearestAwayTf32(uint32_t code, bool finite);

/// Converts the low `width` bits of an integer.
Number fromInteger(uint64_t bits, unsigned width, bool isSigned);
/// Returns the nearest integer in range, or `whenNaN`.
uint64_t toInteger(const Number &number, unsigned width, bool isSigned, Rounding rounding, uint64_t whenNaN);
/// Returns the integer that `cvt` produces for a NaN of this format.
uint64_t integerOfNaN(const Format &format, unsigned width);
/// Rounds to an integral floating-point number (.rni and similar).
Number rounded(const Number &number, Rounding rounding);

/// Negates a number. NaN is unchanged. In all operations, if several operands are NaN, the result is the last of them,
/// except the second one in `fused` and the first one in `quotient`.
Number negative(const Number &a);
Number absolute(const Number &a);
Number sum(const Number &a, const Number &b);
Number product(const Number &a, const Number &b); // operands as read
Number fused(const Number &a, const Number &b, const Number &c);
Number quotient(const Number &a, const Number &b); // operands as read
Number squareRoot(const Number &a);                // operand as read

/// Compares two numbers. -0 equals +0, and NaN is unordered.
std::partial_ordering compare(const Number &a, const Number &b);

/// The variants of `min` and `max`. For these, -0 is less than +0.
struct Choosing {
  bool greatest = false;  // computes max instead of min
  bool passesNaN = false; // .NaN
  bool absolute = false;  // .abs
  bool xorSign = false;   // .xorsign
};
Number chosen(const Number &a, const Number &b, Choosing how);
Number chosen(const Number &a, const Number &b, const Number &c, Choosing how);

} // namespace ptxray::numbers
