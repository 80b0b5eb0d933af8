#pragma once
// Recognises formulas that are functions with which the analyses can compute.
#include "Match/FormView.h"

namespace ptxray {

/// Returns the function of the sources, in source order, or none if the first result is not such a function.
std::optional<isa::Operation> operationOf(const FormView &view);

} // namespace ptxray
