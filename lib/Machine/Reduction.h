#pragma once
// Read-modify-write operations on numbers in memory.
#include "Match/Opcode.h"
#include "Semantics/Element.h"
#include <optional>

namespace ptxray::machine {

/// The operation that combines an element in memory with an operand.
struct Reduction {
  enum class How : uint8_t { None, Add, Min, Max, Inc, Dec, And, Or, Xor };
  How how = How::None;
  ElementType type;
  bool flushes = false; // f32: flushes subnormal numbers to zero
  bool isAbsolute = false, passesNaN = false;
};
/// Combines two elements.
uint64_t reduced(const Reduction &reduction, uint64_t a, uint64_t b);
void reduce(const Reduction &reduction, uint8_t *to, const uint8_t *from, size_t bytes);
/// Returns the reduction that the opcode specifies, or nothing if there is none.
std::optional<Reduction> reductionOf(const Opcode &opcode);

} // namespace ptxray::machine
