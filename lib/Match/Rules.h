#pragma once
// Judges `requires`, `when`, `with` and the gates of words.
#include "Match/FormView.h"
#include "Match/Judgement.h"

namespace ptxray {

void judgeRules(const FormView &view, Judgement &judgement);
/// Judges the requirements of the whole form, as a part of judgeRules.
void judgeFormGates(const FormView &view, Judgement &judgement);
void judgeWordGates(const FormView &view, Judgement &judgement);
void judgePresence(const FormView &view, Judgement &judgement);

} // namespace ptxray
