#pragma once
#include "Check/TypeRules.h"
#include "Resolve/Shape.h"

namespace ptxray {

/// Whether the first coordinate tells by its type that it is the number of a layer, so that ptxas asks nothing of the
/// others for its sake. Registers without a sign may also be one, and go with anything.
inline bool mayBeIndex(const Shape &coordinate) {
  if (coordinate.kind == ShapeKind::Integer)
    return true;
  const TypeView type = coordinate.kind == ShapeKind::Register ? viewType(coordinate.type) : TypeView();
  return type.bits == 32 && (type.kind == isa::TypeKind::Unsigned || type.kind == isa::TypeKind::Signed);
}

} // namespace ptxray
