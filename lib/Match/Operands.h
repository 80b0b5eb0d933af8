#pragma once
// Whether each operand is what its form asks for.
#include "Match/FormView.h"
#include "Match/Judgement.h"

namespace ptxray {

void judgeOperands(const FormView &view, Judgement &judgement);

} // namespace ptxray
