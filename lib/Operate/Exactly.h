#pragma once
// Single operations on numbers with any format and rounding, computed lane by lane by lib/Numbers.
#include "Operate/Op.h"
#include "Semantics/Recipe.h"
#include <array>
#include <optional>

namespace ptxray::machine {

struct ExactWork {
  isa::StepOp op = isa::StepOp::Operand; // Operand means that the number is only rounded
  size_t count = 0;
  std::array<ElementType, 3> types;
  std::array<std::optional<Value>, 3> constants;
  const numbers::Format *format = nullptr; // format of the result, or null if it is an integer:
  ElementType integer;                     // integer type to which the number is truncated
  numbers::Rounding rounding = numbers::Rounding::Nearest;
  bool flushes = false; // `.ftz`

  /// Returns whether both have the same parameters and no constants.
  bool isSame(const ExactWork &other) const;
};
/// Executes an operation. `more` is an ExactWork.
void computeExactly(char *registers, const Op &op, uint32_t mask, Warp &warp);

/// Parameters of a step that the special function unit computes.
struct ApproximateWork {
  RecipeStep step;
  bool flushes, isFull;
};
/// Executes an approximation. `more` is an ApproximateWork.
void approximate(char *registers, const Op &op, uint32_t mask, Warp &warp);
/// Returns the handler for f32, or null if there is none. Its `number` is 1 for `.ftz`.
Handler approximationOf(isa::StepOp step, bool isFull);

} // namespace ptxray::machine
