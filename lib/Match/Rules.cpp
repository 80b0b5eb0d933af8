// Judges what a form requires beyond its slots and operands, condition by condition.
#include "Match/Rules.h"
#include "Match/Explain.h"
#include "Match/Wording.h"
#include "Match/Words.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

using isa::Expr;
using isa::ExprId;
using isa::ExprOp;
using isa::WordId;

/// Returns whether the module allows everything that a form requires unconditionally.
static bool isAvailable(const FormView &view, const isa::Form &form) {
  const isa::Tables &t = isa::tables();
  return llvm::all_of(isa::run(t.formRules, form.rules), [&](uint32_t index) {
    const isa::Rule &rule = t.rules[index];
    return rule.when || !t.exprs[rule.require].gateOnly || view.written.availability.holds(rule.require);
  });
}

/// Returns how many slots of the tables accept the word. A word with few slots is more specific.
static size_t slotsWith(WordId word) {
  static const std::vector<uint32_t> counts = [] {
    std::vector<uint32_t> result(isa::tables().words.size());
    for (const isa::SlotValue &value : isa::tables().slotValues)
      ++result[value.word];
    return result;
  }();
  return counts[word];
}

/// Returns the subject of an unconditional rule of a form. This is the first word that no available form of the
/// instruction knows, or the rarest of several. If there is none, it is the whole instruction.
static Subject ownWord(const FormView &view) {
  const isa::Tables &t = isa::tables();
  const isa::Mnemonic &mnemonic = *view.written.opcode.mnemonic;
  llvm::SmallVector<const isa::Form *, 8> others;
  for (uint32_t form : isa::run(t.mnemonicForms, mnemonic.forms))
    if (form != view.formIndex && isAvailable(view, t.forms[form]))
      others.push_back(&t.forms[form]);
  auto isKnown = [&](WordId word) {
    return llvm::any_of(others, [&](const isa::Form *form) {
      return llvm::any_of(isa::run(t.slots, form->slots), [&](const isa::Slot &slot) {
        return llvm::any_of(isa::run(t.slotValues, slot.values), [&](const isa::SlotValue &value) {
          return value.word == word && view.written.availability.holds(value.gate);
        });
      });
    });
  };
  Subject subject{{FindingPlace::Opcode, 0}, quote(mnemonic.text()), true};
  size_t fewest = SIZE_MAX;
  for (unsigned j = 0; j < view.slots.size() && !others.empty(); ++j) {
    const WordId word = view.slotWord[j];
    if (!word || isKnown(word))
      continue;
    // Types come last, because a type alone rarely makes an instruction new. The word for the operation comes first.
    const isa::Word &known = isa::word(word);
    const size_t count = known.wordClass == isa::WordClass::Type ? 1 << 20 : known.kind ? 0 : slotsWith(word);
    if (count >= fewest)
      continue;
    fewest = count;
    subject.place = view.placeOfSlot(j);
    subject.text = textAt(view, subject.place);
  }
  return subject;
}

/// Returns the operand whose value a condition is about, or nothing for other conditions.
// NOLINTNEXTLINE(misc-no-recursion): the tables are constant: no input nests their conditions
static std::optional<FindingPlace> placeOfValue(const FormView &view, ExprId id) {
  const isa::Tables &t = isa::tables();
  const Expr &e = t.exprs[id];
  if (e.op == ExprOp::OperandIn)
    return FindingPlace::at(FindingPlace::Operand, view.nodeOf[e.a]);
  if (e.op == ExprOp::And || e.op == ExprOp::Or)
    for (ExprId argument : t.exprArgs.slice(e.a, e.b))
      if (const std::optional<FindingPlace> place = placeOfValue(view, argument))
        return place;
  return std::nullopt;
}

/// Returns the subject of a warning that has its own rule. If the condition is about a value, the subject is that
/// value.
static Subject subjectOfWarning(const FormView &view, const isa::Rule &rule, const Truth &truth) {
  const bool isNamed = !isa::tables().warnings[truth.warnings.front()]().empty();
  const std::optional<FindingPlace> place = isNamed ? placeOfValue(view, rule.require) : std::nullopt;
  return place ? Subject{*place, ""} : subjectOf(view, rule.when);
}

void judgeRules(const FormView &view, Judgement &judgement) {
  const isa::Tables &t = isa::tables();
  for (uint32_t index : isa::run(t.formRules, view.form().rules)) {
    const isa::Rule &rule = t.rules[index];
    if (!holds(view, rule.when) || asksForUnknown(view, rule.when))
      continue;
    const Truth truth = evaluate(view, rule.require);
    if (truth.holds) {
      if (!truth.warnings.empty())
        reportWarnings(view, truth, subjectOfWarning(view, rule, truth), rule.line, false, judgement);
      continue;
    }
    // `when !.rnd require !modern` requires a word, not another version.
    if (const Expr &when = t.exprs[rule.when];
        when.op == ExprOp::Not && t.exprs[when.a].op == ExprOp::SlotWritten && t.exprs[rule.require].gateOnly) {
      reportMissing(view, t.exprs[when.a].a, Phase::Gate, judgement);
      continue;
    }
    explainFailure(view, rule.require, rule.when ? subjectOf(view, rule.when) : ownWord(view), rule.line, judgement);
  }
}

void judgeFormGates(const FormView &view, Judgement &judgement) {
  const isa::Tables &t = isa::tables();
  for (uint32_t index : isa::run(t.formRules, view.form().rules)) {
    const isa::Rule &rule = t.rules[index];
    if (rule.when || !t.exprs[rule.require].gateOnly || holds(view, rule.require))
      continue;
    explainFailure(view, rule.require, ownWord(view), rule.line, judgement);
  }
}

void judgeWordGates(const FormView &view, Judgement &judgement) {
  const isa::Tables &t = isa::tables();
  auto judge = [&](ExprId gate, FindingPlace place, const std::string &text) {
    if (!gate)
      return;
    const Subject subject{place, text, true};
    const Truth truth = evaluate(view, gate);
    if (!truth.holds)
      explainFailure(view, gate, subject, 0, judgement);
    else
      reportWarnings(view, truth, subject, 0, true, judgement);
  };
  for (unsigned j = 0; j < view.slots.size(); ++j) {
    const WordId word = view.slotWord[j];
    if (!word)
      continue;
    const FindingPlace place = view.placeOfSlot(j);
    const std::string text = quote(isa::word(word).text());
    if (!llvm::is_contained(isa::run(t.wordLists, view.written.opcode.mnemonic->ungated), word))
      judge(isa::word(word).gate, place, text);
    else if (!holds(view, isa::word(word).gate))
      judgement.report(Phase::Warning, DiagId::UndocumentedQualifier, place, text).severity = Severity::Warning;
    auto values = isa::run(t.slotValues, view.slots[j].values);
    auto at = llvm::find_if(values, [&](const isa::SlotValue &v) { return v.word == word; });
    if (at != values.end())
      judge(at->gate, place, text);
  }
  const auto &shapes = view.written.shapes;
  for (uint16_t node = 0; node < shapes.size(); ++node)
    if (shapes[node].kind == ShapeKind::Special) {
      const isa::SpecialRegister &reg = isa::specialRegisters()[shapes[node].value];
      judge(reg.gate, {FindingPlace::Operand, node}, quote(reg.name()));
    }
}

void judgePresence(const FormView &view, Judgement &judgement) {
  for (unsigned i = 0; i < view.operands.size(); ++i) {
    const isa::OperandDecl &declared = view.operands[i];
    if (!declared.hasWith)
      continue;
    const bool wanted = holds(view, declared.with), written = view.nodeOf[i] >= 0;
    if (wanted && !written) {
      reportAbsent(view, i, subjectOf(view, declared.with), judgement);
    } else if (!wanted && written) {
      judgement.report(Phase::Condition, DiagId::OperandRequires, view.placeOfOperand(i), textThere,
                       describe(view, declared.with));
    }
  }
}

} // namespace ptxray
