#pragma once
// Recognises formulas of instructions as functions with which the analyses compute.
#include "Match/FormView.h"

namespace ptxray {

/// Returns the function of the sources in the order of the text, or none if the first result is something else.
std::optional<isa::Operation> operationOf(const FormView &view);

} // namespace ptxray
