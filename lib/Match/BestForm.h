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
/// Returns the first form without findings, or otherwise the nearest form with its findings.
TriedForm bestForm(const WrittenInstruction &written);
/// Returns whether a form accepts the instruction without errors. This is faster than finding the nearest form.
bool isAccepted(const WrittenInstruction &written);
/// Returns a judgement for each way to assign the operands to a form, or none if the words do not fit. If operands are
/// missing or superfluous, wrong operands among the others have a weight, but no finding.
std::vector<Judgement> judgeForm(const WrittenInstruction &written, uint32_t form);

} // namespace ptxray
