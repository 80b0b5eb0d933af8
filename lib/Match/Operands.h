#pragma once
// Judges whether each operand meets the requirements of the form.
#include "Match/FormView.h"
#include "Match/Judgement.h"

namespace ptxray {

void judgeOperands(const FormView &view, Judgement &judgement);

} // namespace ptxray
