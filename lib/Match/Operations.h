#pragma once
// The formula of an instruction may be one of the functions that the analyses compute with: this finds which one.
#include "Match/FormView.h"

namespace ptxray {

/// Returns the function of the sources in the order in which they are written; none: the first result is something
/// else.
std::optional<isa::Operation> operationOf(const FormView &view);

} // namespace ptxray
