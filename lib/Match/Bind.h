#pragma once
// Matches the written operands against the operand list of a form.
#include "Match/FormView.h"
#include "Match/Judgement.h"

namespace ptxray {

/// One assignment of the written operands to the operand list of a form.
struct Binding {
  struct Misfit {
    int16_t pattern; // -1 for a superfluous operand
    int16_t node;    // -1 for a missing operand
  };
  llvm::SmallVector<int16_t, 16> nodeOf;
  llvm::SmallVector<std::pair<uint16_t, int16_t>, 2> suffixes; // slot and node
  llvm::SmallVector<Misfit, 2> misfits;
};
const char *shapeName(ShapeKind kind);

/// Returns the best bindings: all bindings with the minimum number of mismatches.
llvm::SmallVector<Binding, 2> bindOperands(const FormView &view);
/// Stores the operands in the match, and reports the mismatches.
void applyBinding(FormView &view, const Binding &binding, Judgement &judgement);

} // namespace ptxray
