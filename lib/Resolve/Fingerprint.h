#pragma once
// 64 bits that stand for an opcode and the shapes of its operands: what has the same gets the same verdict.
// Names and places are no part of it.
#include "Resolve/Shape.h"

namespace ptxray {

/// Different for different numbers, and without a pattern.
constexpr uint64_t scattered(uint64_t number) {
  number = (number ^ number >> 33) * 0xFF51AFD7ED558CCD;
  number = (number ^ number >> 33) * 0xC4CEB9FE1A85EC53;
  return number ^ number >> 33;
}

// The print of a shape is a sum: what a declaration fixes, how the operand is written, and the value where it counts.
constexpr uint64_t declaredPrint(const Shape &shape) {
  const uint64_t flags = shape.flags & ~ShapeWritten;
  const uint64_t whole = static_cast<uint64_t>(shape.kind) | static_cast<uint64_t>(shape.vector) << 8 | flags << 16 |
                         static_cast<uint64_t>(shape.type) << 32 | static_cast<uint64_t>(shape.space) << 48;
  return scattered(scattered(whole + 1) + shape.suffix);
}
constexpr uint64_t writtenPrint(uint16_t flags, uint32_t extent) {
  return (static_cast<uint64_t>(flags & ShapeWritten) << 32 | extent) * 0x9E3779B97F4A7C15;
}
constexpr uint64_t valuePrint(int64_t value) { return scattered(static_cast<uint64_t>(value) + 0xD6E8FEB86659FD93); }

class Fingerprint {
public:
  explicit Fingerprint(SpellingId opcode) : sum((static_cast<uint64_t>(opcode) + 1) * 0xE7037ED1A0B428DB) {}
  void add(uint64_t print) { sum = (sum + print) * 0xD6E8FEB86659FD93; }
  uint64_t value() const { return (sum ^ sum >> 32) | 1; } // never 0

private:
  uint64_t sum;
};

} // namespace ptxray
