#pragma once
// Defines which registers and constants are allowed for each type of an instruction.
#include "Resolve/Shape.h"
#include <string>

namespace ptxray {

/// A type, reduced to the properties that the rules need. Different types may have the same view.
struct TypeView {
  isa::TypeKind kind = isa::TypeKind::None;
  uint16_t bits = 0;
  bool halfPair = false;      // `.f16x2`, the only packed type of declared registers
  bool takesHalfPair = false; // `.u16x2`, `.f32x2`: a register of .f16x2 is accepted, like an integer
  bool narrow = false;        // floats in 8 bits or less: `.e4m3x2`

  bool operator==(const TypeView &) const = default;
  explicit operator bool() const { return kind != isa::TypeKind::None; }
};

TypeView viewType(isa::WordId word);

/// Returns the register type of a matrix fragment with elements of that type.
TypeView fragmentType(TypeView element);

/// Returns whether a register of type `reg` is allowed for a value of type `type`. If `wide` is set, it may be wider.
/// In a vector of integers, floats are allowed as bits.
bool typesAgree(TypeView type, TypeView reg, bool wide, bool inVector);

/// Returns whether a type is an integer or untyped bits.
inline bool mayBeInteger(TypeView type) {
  return type.kind == isa::TypeKind::Bits || type.kind == isa::TypeKind::Unsigned || type.kind == isa::TypeKind::Signed;
}

inline bool isConstant(const Shape &shape) {
  return shape.kind == ShapeKind::Integer || shape.kind == ShapeKind::Float;
}
/// Returns whether a constant is written as `0f...`, with 32 bits. Other floating-point constants have 64 bits.
bool isSingle(const Shape &immediate);
TypeView typeOfConstant(const Shape &immediate);

bool immediateAgrees(TypeView type, const Shape &immediate, bool inVector);

/// Checks the elements of a vector one after another: whether each agrees with the previous ones, and the type of the
/// whole. In ptxas, constants have types like registers: an integer has 64 bits, `0f` has 32 bits, and any other float
/// has 64 bits.
struct VectorFold {
  /// Adds an element. If `isIndex` is set, its neighbours need not agree with it.
  bool add(TypeView element, bool constant, bool isIndex = false);
  bool sizesDiffer(TypeView element, bool constant) const;

  TypeView type, first;
  bool constantFirst = false;
  bool onlyConstants = false;

private:
  TypeView previous;
  bool behindIndex = false;
};

/// Returns the spelling of a type, `.b32`, or a description if no word spells it.
std::string spell(TypeView type);

} // namespace ptxray
