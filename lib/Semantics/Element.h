#pragma once
// The elements that registers and memory hold: how wide they are, how numbers are made of their bits and bits of
// numbers.
#include "Isa/Isa.h"
#include "Numbers/Number.h"
#include <optional>

namespace ptxray {

/// Bits of a register or of what memory holds, lowest first.
using Bits = numbers::Wide;

/// The type of one element: `.f16x2` has two of 16 bits.
struct ElementType {
  enum class Kind : uint8_t { Unsigned, Signed, Float, Truth };

  Kind kind = Kind::Unsigned;
  uint16_t bits = 32;                      // that each takes
  uint16_t count = 1;                      // in one register
  const numbers::Format *format = nullptr; // of a Float

  bool isFloat() const { return kind == Kind::Float; }
  bool isSigned() const { return kind == Kind::Signed; }
  bool operator==(const ElementType &) const = default;
};
/// None: of such a type no number can be made.
std::optional<ElementType> elementType(isa::WordId type);

/// The NaN of f16 and bf16, without its sign, that `.oob` takes for an element outside of a tensor. An H100 says so: of
/// all 65,536 factors it gives 0 for this one, with either sign.
inline constexpr Bits outOfBoundsMark = 0x7ff7;

/// The lowest bits.
constexpr Bits lowBits(Bits bits, unsigned width) { return width >= 128 ? bits : bits & ((Bits(1) << width) - 1); }

/// An exact number, or a truth value.
struct Value {
  enum class Kind : uint8_t { Integer, Float, Truth };

  Kind kind = Kind::Integer;
  bool isNegative = false;  // of an Integer
  bool isUndefined = false; // the manual leaves it open
  Bits magnitude = 0;       // of an Integer; of a Truth 0 or 1
  Bits bits = 0;            // as it was read, if nothing was done to it: what is copied keeps them
  bool hasBits = false;
  numbers::Number number; // of a Float

  static Value integer(Bits magnitude, bool isNegative = false) {
    Value value;
    value.magnitude = magnitude;
    value.isNegative = isNegative && magnitude;
    return value;
  }
  static Value truth(bool isTrue) {
    Value value;
    value.kind = Kind::Truth;
    value.magnitude = isTrue;
    return value;
  }
  static Value real(const numbers::Number &number) {
    Value value;
    value.kind = Kind::Float;
    value.number = number;
    return value;
  }
  bool isFloat() const { return kind == Kind::Float; }
  bool isTrue() const { return magnitude != 0; }
  /// The number in two's complement, as far as 128 bits go.
  Bits twosComplement() const { return isNegative ? Bits(0) - magnitude : magnitude; }
  /// The number itself, or the float that is equal to an integer.
  numbers::Number asNumber() const { return isFloat() ? number : numbers::Number::scaled(isNegative, magnitude, 0); }
};

/// The number that the lowest bits are.
Value readElement(Bits bits, const ElementType &type);
/// The bits of a number, rounded to the nearest.
Bits storeElement(const Value &value, const ElementType &type);

} // namespace ptxray
