#pragma once
// Finds other versions or targets that would allow an instruction.
#include "Match/Describe.h"
#include "Match/Judgement.h"

namespace ptxray {

/// Returns all ways to satisfy an expression with another version or target, without changing the instruction.
GateAlternatives alternatives(const FormView &view, isa::ExprId id, bool negated = false);
void reportGate(const FormView &view, const GateAlternatives &ways, const Subject &subject, uint32_t line,
                Judgement &judgement);

} // namespace ptxray
