#pragma once
// One operation on numbers of any formats, with any rounding, lane by lane by lib/Numbers.
#include "Operate/Op.h"
#include "Semantics/Recipe.h"
#include <array>
#include <optional>

namespace ptxray::machine {

struct ExactWork {
  isa::StepOp op = isa::StepOp::Operand; // Operand: the number is rounded alone
  size_t count = 0;
  std::array<ElementType, 3> types;
  std::array<std::optional<Value>, 3> constants;
  const numbers::Format *format = nullptr; // the format of the result, or null:
  ElementType integer;                     // a number that is cut
  numbers::Rounding rounding = numbers::Rounding::Nearest;
  bool flushes = false; // `.ftz`

  /// Without constants, and equal.
  bool isSame(const ExactWork &other) const;
};
/// `more` is an ExactWork.
void computeExactly(char *registers, const Op &op, uint32_t mask, Warp &warp);

/// Describes a step that gives what the special functions of a GPU give.
struct ApproximateWork {
  RecipeStep step;
  bool flushes, isFull;
};
/// `more` is an ApproximateWork.
void approximate(char *registers, const Op &op, uint32_t mask, Warp &warp);
/// Returns the handler for f32, with 1 as the number for `.ftz`; null: there is none.
Handler approximationOf(isa::StepOp step, bool isFull);

} // namespace ptxray::machine
