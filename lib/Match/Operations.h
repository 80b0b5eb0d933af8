#pragma once
// Which integer function the formula of an instruction is, of those that the analyses compute with.
#include "Match/FormView.h"

namespace ptxray {

/// The function of the sources in the order in which they are written; none: the first result is something else.
std::optional<isa::Operation> operationOf(const FormView &view);

} // namespace ptxray
