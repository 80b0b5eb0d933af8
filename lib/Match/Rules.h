#pragma once
// Judges `requires`, `when`, `with` and the gates of words.
#include "Match/FormView.h"
#include "Match/Judgement.h"

namespace ptxray {

void judgeRules(const FormView &view, Judgement &judgement);
void judgeFormGates(const FormView &view, Judgement &judgement); // what the form as a whole needs; part of judgeRules
void judgeWordGates(const FormView &view, Judgement &judgement);
void judgePresence(const FormView &view, Judgement &judgement);

} // namespace ptxray
