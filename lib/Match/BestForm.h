#pragma once
// Selects the form that an instruction means, among all forms of its mnemonic.
#include "Match/FormView.h"
#include "Match/Judgement.h"

namespace ptxray {

struct TriedForm {
  TriedForm(const WrittenInstruction &written, uint32_t form) : view(written, form), judgement(form) {}
  explicit TriedForm(const FormView &tried) : view(tried), judgement(view.formIndex) {}
  FormView view;
  Judgement judgement;
};
/// Returns the first form without findings; if there is none, the nearest form with its findings.
TriedForm bestForm(const WrittenInstruction &written);
/// Returns whether a form has no error against the instruction. Faster than to find the nearest form.
bool isAccepted(const WrittenInstruction &written);
/// Returns, for each way to lay the operands over a form, what it has against it; none: the words do not fit. Where
/// operands are missing or too many, the wrong ones among the others have a weight and no finding.
std::vector<Judgement> judgeForm(const WrittenInstruction &written, uint32_t form);

} // namespace ptxray
