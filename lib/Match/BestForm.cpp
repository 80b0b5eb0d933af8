// Tries each form of an instruction: first its words, then its operands, then all conditions on both.
#include "Match/BestForm.h"
#include "Match/Bind.h"
#include "Match/Checks.h"
#include "Match/Operands.h"
#include "Match/Rows.h"
#include "Match/Rules.h"
#include "Match/Words.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

static TriedForm judgeBinding(const FormView &words, const Binding &binding) {
  words.written.availability.trials += Availability::trialsOfBinding;
  TriedForm form(words);
  auto &[view, judgement] = form;
  applyBinding(view, binding, judgement);
  if (judgement.weight(Phase::Shape)) {
    judgeFormGates(view, judgement);
    judgeWordGates(view, judgement);
    return form;
  }
  judgeTables(view, judgement);
  judgeRules(view, judgement);
  judgeWordGates(view, judgement);
  judgePresence(view, judgement);
  judgeOperands(view, judgement);
  runChecks(view, judgement);
  return form;
}

std::vector<Judgement> judgeForm(const WrittenInstruction &written, uint32_t form) {
  std::vector<Judgement> ways;
  FormView view(written, form);
  if (!matchWords(view).empty())
    return ways;
  for (const Binding &binding : bindOperands(view)) {
    TriedForm tried = judgeBinding(view, binding);
    if (tried.judgement.weight(Phase::Shape)) {
      Judgement ofOperands(form);
      judgeOperands(tried.view, ofOperands);
      tried.judgement.weigh(Phase::Type, ofOperands.weight(Phase::Type));
    }
    ways.push_back(std::move(tried.judgement));
  }
  return ways;
}

/// If two forms are equally near, both sets of words that they expect at the same location are alternatives.
static void addExpected(const Judgement &from, Judgement &to) {
  for (Finding &f : to.findings)
    for (const Finding &g : from.findings)
      if (!f.expected.empty() && f.isSameOffence(g))
        for (isa::WordId word : g.expected)
          if (!llvm::is_contained(f.expected, word))
            f.expected.push_back(word);
  for (Finding &f : to.findings)
    for (const Finding &g : from.findings)
      if (f.id == DiagId::VectorLength && f.isSameOffence(g) && f.args.back() != g.args.back())
        f.args.back() += " or " + g.args.back();
}

static bool hasErrors(const Judgement &judgement) {
  for (unsigned phase = 0; phase < static_cast<unsigned>(Phase::Warning); ++phase)
    if (judgement.score[phase])
      return true;
  return false;
}

/// Returns the number of operands with a wrong type in this binding, if some operands are missing or superfluous.
static size_t countWrongTypes(const TriedForm &form) {
  Judgement ofOperands(form.judgement.form);
  if (form.judgement.weight(Phase::Shape))
    judgeOperands(form.view, ofOperands);
  return llvm::count_if(ofOperands.findings, [](const Finding &f) { return f.id == DiagId::OperandType; });
}

/// Returns the bindings to the form with the fewest wrong operand types. An operand is missing if the other operands
/// match without it.
static std::vector<TriedForm> likelyBindings(const FormView &view) {
  std::vector<TriedForm> likely;
  size_t fewest = std::numeric_limits<size_t>::max();
  constexpr size_t fewBindings = 2; // out of the dozens that a texture fetch may have
  llvm::SmallVector<Binding, 2> bindings = bindOperands(view);
  if (view.written.availability.isFrugal && bindings.size() > fewBindings)
    bindings.truncate(fewBindings);
  for (const Binding &binding : bindings) {
    TriedForm form = judgeBinding(view, binding);
    const size_t wrong = countWrongTypes(form);
    if (wrong < fewest)
      likely.clear();
    if (wrong <= fewest)
      likely.push_back(std::move(form));
    fewest = std::min(fewest, wrong);
  }
  return likely;
}

static llvm::ArrayRef<uint32_t> formsOf(const WrittenInstruction &written) {
  return isa::run(isa::tables().mnemonicForms, written.opcode.mnemonic->forms);
}

/// Returns the form with the fewest objections to the instruction.
static TriedForm nearestForm(const WrittenInstruction &written) {
  std::optional<TriedForm> best;
  auto offer = [&](TriedForm &&form) {
    if (!best || form.judgement.score < best->judgement.score)
      best.emplace(std::move(form));
    else if (form.judgement.score == best->judgement.score)
      addExpected(form.judgement, best->judgement);
  };
  for (uint32_t index : formsOf(written)) {
    TriedForm form(written, index);
    auto &[view, judgement] = form;
    Leftover leftover = matchWords(view);
    if (leftover.empty()) {
      for (TriedForm &likely : likelyBindings(view))
        offer(std::move(likely));
      continue;
    }
    reportWords(view, std::move(leftover), judgement);
    if (best && judgement.weight(Phase::Qualifier) > best->judgement.weight(Phase::Qualifier))
      continue;
    // The qualifiers do not fit, so the operands only determine how near the form is.
    judgement.weigh(Phase::Shape, bindOperands(view).front().misfits.size());
    judgeFormGates(view, judgement);
    judgeWordGates(view, judgement);
    offer(std::move(form));
  }
  return std::move(*best);
}

/// Returns the first form that fits the words and the number of operands, and whose judgement is sufficient. Data of
/// earlier forms are discarded.
template <typename Suffices>
static std::optional<TriedForm> firstForm(const WrittenInstruction &written, Suffices suffices) {
  for (uint32_t index : formsOf(written)) {
    FormView view(written, index);
    if (!matchWords(view).empty())
      continue;
    for (const Binding &binding : bindOperands(view)) {
      if (!binding.misfits.empty())
        break; // all forms have the same number of operands
      if (TriedForm form = judgeBinding(view, binding); suffices(form.judgement))
        return form;
    }
  }
  return std::nullopt;
}

bool isAccepted(const WrittenInstruction &written) {
  return written.opcode.mnemonic && firstForm(written, [](const Judgement &one) { return !hasErrors(one); });
}

TriedForm bestForm(const WrittenInstruction &written) {
  std::optional<TriedForm> fitting = firstForm(written, [](const Judgement &one) { return one.isPerfect(); });
  return fitting ? std::move(*fitting) : nearestForm(written);
}

} // namespace ptxray
