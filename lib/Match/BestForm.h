#pragma once
// Of all forms of an instruction the one that is meant.
#include "Match/FormView.h"
#include "Match/Judgement.h"

namespace ptxray {

struct TriedForm {
  explicit TriedForm(FormView tried) : view(std::move(tried)), judgement(view.formIndex) {}
  FormView view;
  Judgement judgement;
};
/// The first form with nothing against it; else the one with the least, and its findings.
TriedForm bestForm(const WrittenInstruction &written);

} // namespace ptxray
