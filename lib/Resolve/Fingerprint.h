#pragma once
// The part of a fingerprint that declarations determine, as opposed to the spelling. Locations are not part of it.
#include "Parse/Fingerprint.h"
#include "Resolve/Shape.h"

namespace ptxray {

/// Scatters numbers over 64 bits. Different numbers have different results.
constexpr uint64_t scattered(uint64_t number) {
  number = (number ^ number >> 33) * 0xFF51AFD7ED558CCD;
  number = (number ^ number >> 33) * 0xC4CEB9FE1A85EC53;
  return number ^ number >> 33;
}

/// Returns the part of the fingerprint that a declaration, or the suffix after the operand, determines.
constexpr uint64_t declaredPrint(const Shape &shape) {
  const uint64_t flags = shape.flags & ~ShapeWritten;
  const uint64_t whole = static_cast<uint64_t>(shape.kind) | static_cast<uint64_t>(shape.vector) << 8 | flags << 16 |
                         static_cast<uint64_t>(shape.type) << 32 | static_cast<uint64_t>(shape.space) << 48;
  return scattered(scattered(whole + 1) + shape.suffix);
}
constexpr uint64_t valuePrint(int64_t value) { return scattered(static_cast<uint64_t>(value) + 0xD6E8FEB86659FD93); }

} // namespace ptxray
