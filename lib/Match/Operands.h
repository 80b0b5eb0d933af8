#pragma once
// Judges whether each operand is what its form requires.
#include "Match/FormView.h"
#include "Match/Judgement.h"

namespace ptxray {

void judgeOperands(const FormView &view, Judgement &judgement);

} // namespace ptxray
