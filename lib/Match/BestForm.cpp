// Tries each form of an instruction: its words, then its operands, then everything that the form asks of both.
#include "Match/BestForm.h"
#include "Match/Bind.h"
#include "Match/Checks.h"
#include "Match/Operands.h"
#include "Match/Rows.h"
#include "Match/Rules.h"
#include "Match/Words.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

using Bindings = llvm::SmallVector<Binding, 2>;

namespace {

/// How far a form went before another one was asked.
struct Attempt {
  FormView view; // its words
  Leftover leftover;
  Bindings bindings;             // where no word is left over
  std::vector<TriedForm> judged; // one for each binding, where no operand is left over either
};

} // namespace

static TriedForm judgeBinding(const FormView &words, const Binding &binding) {
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

/// Two forms are equally near: what either asks for at one place would do.
static void addExpected(const Judgement &from, Judgement &to) {
  for (Finding &f : to.findings)
    for (const Finding &g : from.findings)
      if (!f.expected.empty() && f.isSameOffence(g))
        for (isa::WordId word : g.expected)
          if (!llvm::is_contained(f.expected, word))
            f.expected.push_back(word);
}

/// The form that has the least against it.
static TriedForm nearestForm(llvm::MutableArrayRef<Attempt> attempts) {
  std::optional<TriedForm> best;
  auto offer = [&](TriedForm &&form) {
    if (!best || form.judgement.score < best->judgement.score)
      best.emplace(std::move(form));
    else if (form.judgement.score == best->judgement.score)
      addExpected(form.judgement, best->judgement);
  };
  for (Attempt &attempt : attempts) {
    for (TriedForm &form : attempt.judged)
      offer(std::move(form));
    if (!attempt.judged.empty())
      continue;
    if (attempt.leftover.empty()) {
      for (const Binding &binding : attempt.bindings)
        offer(judgeBinding(attempt.view, binding));
      continue;
    }
    TriedForm form(std::move(attempt.view));
    auto &[view, judgement] = form;
    reportWords(view, std::move(attempt.leftover), judgement);
    if (best && judgement.weight(Phase::Qualifier) > best->judgement.weight(Phase::Qualifier))
      continue;
    // The qualifiers do not fit; the operands only tell how near the form is.
    judgement.weigh(Phase::Shape, bindOperands(view).front().misfits.size());
    judgeFormGates(view, judgement);
    judgeWordGates(view, judgement);
    offer(std::move(form));
  }
  return std::move(*best);
}

TriedForm bestForm(const WrittenInstruction &written) {
  std::vector<Attempt> attempts;
  for (uint32_t form : isa::run(isa::tables().mnemonicForms, written.opcode.mnemonic->forms)) {
    Attempt &attempt = attempts.emplace_back(FormView(written, form));
    attempt.leftover = matchWords(attempt.view);
    if (!attempt.leftover.empty())
      continue;
    attempt.bindings = bindOperands(attempt.view);
    if (!attempt.bindings.front().misfits.empty()) // all have as many
      continue;
    for (const Binding &binding : attempt.bindings) {
      attempt.judged.push_back(judgeBinding(attempt.view, binding));
      if (attempt.judged.back().judgement.isPerfect())
        return std::move(attempt.judged.back());
    }
  }
  return nearestForm(attempts);
}

} // namespace ptxray
