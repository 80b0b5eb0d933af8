#pragma once
// Of all forms of an instruction the one that is meant.
#include "Match/FormView.h"
#include "Match/Judgement.h"

namespace ptxray {

struct TriedForm {
  TriedForm(const WrittenInstruction &written, uint32_t form) : view(written, form), judgement(form) {}
  explicit TriedForm(const FormView &tried) : view(tried), judgement(view.formIndex) {}
  FormView view;
  Judgement judgement;
};
/// The first form with nothing against it; else the one with the least, and its findings.
TriedForm bestForm(const WrittenInstruction &written);

} // namespace ptxray
