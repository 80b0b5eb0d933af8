#pragma once
// Evaluates conditions of the tables for a form that is tried on an instruction.
#include "Match/FormView.h"

namespace ptxray {

struct Truth {
  bool holds = true;
  // Warnings of the alternatives that made the condition true, as indices into tables().warnings.
  llvm::SmallVector<uint16_t, 2> warnings;
};
enum class Assume : uint8_t { Nothing, GatesHold };
Truth evaluate(const FormView &view, isa::ExprId condition, Assume assume = Assume::Nothing);
// NOLINTNEXTLINE(misc-no-recursion): the tables are constant: no input nests their conditions
inline bool holds(const FormView &view, isa::ExprId condition, Assume assume = Assume::Nothing) {
  return evaluate(view, condition, assume).holds;
}

/// Returns whether the condition depends on the unknown value of a constant.
bool asksForUnknown(const FormView &view, isa::ExprId condition);

bool inRange(const isa::ValueRange &range, int64_t value);
bool inRanges(llvm::ArrayRef<isa::ValueRange> ranges, int64_t value);

} // namespace ptxray
