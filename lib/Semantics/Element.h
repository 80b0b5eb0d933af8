#pragma once
// The elements that registers and memory contain: their width, and the conversion between numbers and bits.
#include "Isa/Isa.h"
#include "Numbers/Number.h"
#include <optional>

namespace ptxray {

/// The bits of a register or of memory, lowest first.
using Bits = numbers::Wide;

/// The type of the elements of one register: `.f16x2` is two elements of 16 bits.
struct ElementType {
  enum class Kind : uint8_t { Unsigned, Signed, Float, Truth };

  Kind kind = Kind::Unsigned;
  uint16_t bits = 32;                      // width of one element
  uint16_t count = 1;                      // elements per register
  const numbers::Format *format = nullptr; // for a Float

  bool isFloat() const { return kind == Kind::Float; }
  bool isSigned() const { return kind == Kind::Signed; }
  bool operator==(const ElementType &) const = default;
};
/// Returns the element type, or none if values of this type are not numbers.
std::optional<ElementType> elementType(isa::WordId type);

/// The NaN of f16 and bf16, without its sign, that marks elements outside a tensor for `.oob`. Among all 65,536
/// factors, an H100 returns 0 only for this one, with either sign.
inline constexpr Bits outOfBoundsMark = 0x7ff7;

/// Returns the lowest `width` bits.
constexpr Bits lowBits(Bits bits, unsigned width) { return width >= 128 ? bits : bits & ((Bits(1) << width) - 1); }

/// An exact number, or a truth value.
struct Value {
  enum class Kind : uint8_t { Integer, Float, Truth };

  Kind kind = Kind::Integer;
  bool isNegative = false;  // for an Integer
  bool isUndefined = false; // the manual does not define the value
  Bits magnitude = 0;       // for an Integer; 0 or 1 for a Truth
  Bits bits = 0;            // the bits that were read, as long as no operation changed them; copies keep these bits
  bool hasBits = false;
  numbers::Number number; // for a Float

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
  /// Returns the integer in two's complement, modulo 2^128.
  Bits twosComplement() const { return isNegative ? Bits(0) - magnitude : magnitude; }
  /// Returns the number, or converts an integer to an equal float.
  numbers::Number asNumber() const { return isFloat() ? number : numbers::Number::scaled(isNegative, magnitude, 0); }
};

/// Decodes the lowest bits as one element.
Value readElement(Bits bits, const ElementType &type);
/// Encodes a value, rounded to nearest.
Bits storeElement(const Value &value, const ElementType &type);

} // namespace ptxray
