#pragma once
// Numbers in memory that are replaced by what is made of them and others.
#include "Match/Opcode.h"
#include "Semantics/Element.h"
#include <optional>

namespace ptxray::machine {

/// Says what is done to an element in memory with one that comes.
struct Reduction {
  enum class How : uint8_t { None, Add, Min, Max, Inc, Dec, And, Or, Xor };
  How how = How::None;
  ElementType type;
  bool flushes = false; // f32: subnormal numbers are zeros
  bool isAbsolute = false, passesNaN = false;
};
/// Makes one element of two.
uint64_t reduced(const Reduction &reduction, uint64_t a, uint64_t b);
void reduce(const Reduction &reduction, uint8_t *to, const uint8_t *from, size_t bytes);
/// Returns the reduction that the words of an opcode say; nothing if there is none of these.
std::optional<Reduction> reductionOf(const Opcode &opcode);

} // namespace ptxray::machine
