#pragma once
// Which register or immediate goes with which instruction type.
#include "Resolve/Shape.h"
#include <string>

namespace ptxray {

/// A type as the rules see it. Two different types may look alike.
struct TypeView {
  isa::TypeKind kind = isa::TypeKind::None;
  uint16_t bits = 0;
  bool halfPair = false;      // `.f16x2`, the one packed type that a register may be declared with
  bool takesHalfPair = false; // `.u16x2`, `.f32x2`: a register of .f16x2 passes, as an integer
  bool narrow = false;        // floats in 8 bits or less: `.e4m3x2`

  bool operator==(const TypeView &) const = default;
  explicit operator bool() const { return kind != isa::TypeKind::None; }
};

TypeView viewType(isa::WordId word);

/// The register type of a matrix fragment with elements of that type.
TypeView fragmentType(TypeView element);

/// May a register of type `reg` stand for a value of type `type`? `wide`: it may be wider. In a vector
/// whose elements are integers, floats take them as bits.
bool typesAgree(TypeView type, TypeView reg, bool wide, bool inVector);

/// Integers, and untyped bits.
inline bool mayBeInteger(TypeView type) {
  return type.kind == isa::TypeKind::Bits || type.kind == isa::TypeKind::Unsigned || type.kind == isa::TypeKind::Signed;
}

inline bool isConstant(const Shape &shape) {
  return shape.kind == ShapeKind::Integer || shape.kind == ShapeKind::Float;
}
/// `0f...`: 32 bits; other floating-point constants have 64.
bool isSingle(const Shape &immediate);
TypeView typeOfConstant(const Shape &immediate);

bool immediateAgrees(TypeView type, const Shape &immediate, bool inVector);

/// The elements of a vector, one after the other: whether each goes with those before it, and the type of the whole. To
/// ptxas a constant has a type as a register has: an integer 64 bits, `0f` 32, another float 64.
struct VectorFold {
  /// `isIndex`: its neighbours need not go with it.
  bool add(TypeView element, bool constant, bool isIndex = false);
  bool sizesDiffer(TypeView element, bool constant) const;

  TypeView type, first;
  bool constantFirst = false;
  bool onlyConstants = false;

private:
  TypeView previous;
  bool behindIndex = false;
};

/// `.b32`, or how the type is called when no word spells it.
std::string spell(TypeView type);

} // namespace ptxray
