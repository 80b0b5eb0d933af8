// Turns a condition that does not hold into findings: the part that is missing or misplaced, and the alternatives.
#include "Match/Explain.h"
#include "Match/Gates.h"
#include "Match/Wording.h"
#include "Match/Words.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

using isa::Expr;
using isa::ExprId;
using isa::ExprOp;
using isa::WordId;

void reportWarnings(const FormView &view, const Truth &truth, const Subject &subject, uint32_t line, bool value,
                    Judgement &judgement) {
  for (uint16_t warning : truth.warnings) {
    const isa::Text name = isa::tables().warnings[warning]();
    const DiagId standard = value ? DiagId::UndocumentedQualifier : DiagId::UndocumentedCombination;
    const DiagId id = name.empty() ? standard : findDiag(name).value_or(standard);
    const bool isPedantic = info(id).level == Severity::Pedantic;
    if (isPedantic && !view.written.availability.module().pedantic)
      continue;
    Finding &f = judgement.add(Phase::Warning, id, subject.place);
    if (subject.place.kind == FindingPlace::Operand)
      f.add(textThere);
    else
      f.add(subject.text);
    f.severity = isPedantic ? Severity::Pedantic : Severity::Warning;
    f.line = line;
  }
}

/// Returns the first word in an expression, which determines the kind of the rule.
// NOLINTNEXTLINE(misc-no-recursion): the tables are constant: no input nests their conditions
static WordId firstWord(const FormView &view, ExprId id) {
  const isa::Tables &t = isa::tables();
  const Expr &e = t.exprs[id];
  switch (e.op) {
  case ExprOp::And:
  case ExprOp::Or:
    for (ExprId argument : t.exprArgs.slice(e.a, e.b))
      if (WordId word = firstWord(view, argument))
        return word;
    return 0;
  case ExprOp::Not: return firstWord(view, e.a);
  case ExprOp::Gate: return firstWord(view, t.gates[e.a].expr);
  case ExprOp::SlotIs:
  case ExprOp::WordWritten: return e.c ? wordList(e).front() : WordId(0);
  case ExprOp::SlotWritten:
  case ExprOp::SlotsEqual: {
    auto words = wordsOf(view.slots[e.a]);
    return words.empty() ? WordId(0) : words.front();
  }
  default: return 0;
  }
}

Finding &reportCombination(const FormView &view, const Subject &subject, FindingPlace place, WordId word,
                           Judgement &judgement) {
  const Opcode &opcode = view.written.opcode;
  const WordId subjectWord =
      subject.place.kind == FindingPlace::Word ? opcode.words[subject.place.index].id : WordId(0);
  // The `.lo` of `mul.lo` is not a comparison.
  const bool isOfName = word && llvm::any_of(llvm::ArrayRef(opcode.words).take_front(opcode.mnemonicWords),
                                             [&](const OpcodeWord &spelt) { return spelt.id == word; });
  const bool needsOtherType = isa::word(word).wordClass == isa::WordClass::Type && !isOfName && subjectWord &&
                              kindOf(subjectWord) != Kind::Type;
  Finding &f = judgement.report(Phase::Condition,
                                needsOtherType ? IdTakingTexts<2>(DiagId::QualifierType) : DiagId::QualifierCombination,
                                place, subject.text, addedLater);
  f.kind = isOfName ? Kind::Other : kindOf(needsOtherType ? subjectWord : word);
  return f;
}

void reportRequired(const FormView &view, unsigned slot, llvm::ArrayRef<WordId> words, const Subject &subject,
                    uint32_t line, Judgement &judgement) {
  const WordId word = words.empty() ? WordId(0) : words.front();
  Finding &f = judgement.report(Phase::Condition, DiagId::MissingQualifier, subject.place, subject.text, addedLater);
  f.kind = kindOf(word);
  f.line = line;
  f.expected.append(words.begin(), words.end());
  if (!view.slots[slot].suffix)
    f.remedy = {Remedy::InsertAfterWord, wordBefore(view, slot), ""};
}

Finding &reportAbsent(const FormView &view, unsigned operand, const Subject &subject, Judgement &judgement) {
  Finding &f = judgement.report(Phase::Condition, DiagId::MissingOperand, placeBefore(view, operand), subject.text,
                                "one more operand, " + operandKind(view, operand));
  f.notes.push_back("it is `" + std::string(view.operands[operand].name()) + "` in the form");
  return f;
}

Finding &reportRange(Phase phase, FindingPlace place, llvm::ArrayRef<isa::ValueRange> ranges, int64_t value,
                     Judgement &judgement) {
  const bool single = llvm::all_of(ranges, [](const isa::ValueRange &r) { return r.low == r.high; });
  const bool stepped =
      llvm::any_of(ranges, [&](const isa::ValueRange &r) { return r.step > 1 && value >= r.low && value <= r.high; });
  Finding &f = judgement.report(phase, DiagId::ImmediateValue, place, textThere, rangesText(ranges));
  f.kind = single ? Kind::List : stepped ? Kind::Step : Kind::Range;
  return f;
}

namespace {

/// Traces an expression down to the parts that make it false.
class Failure {
public:
  Failure(const FormView &view, const Subject &subject, uint32_t line, Judgement &judgement)
      : view(view), subject(subject), line(line), judgement(judgement) {}

  void explain(ExprId id, bool negated);

private:
  bool explainSlot(const Expr &e, bool negated, const std::string &wanted);
  bool explainWord(const Expr &e, bool negated);
  void explainCombination(FindingPlace place, WordId word, const std::string &wanted);
  void explainOperand(const Expr &e, bool negated);
  template <typename... More>
  void operandFinding(Phase phase, unsigned operand, IdFor<TextThere, More...> written, const More &...more);
  template <typename... Args> Finding &report(Phase phase, IdFor<Args...> id, FindingPlace place, const Args &...args) {
    Finding &f = judgement.report(phase, id, place, args...);
    f.line = line;
    return f;
  }

  const FormView &view;
  const Subject &subject;
  const uint32_t line;
  Judgement &judgement;
};

} // namespace

/// Returns false if the slot is not written.
bool Failure::explainSlot(const Expr &e, bool negated, const std::string &wanted) {
  if (!negated && !view.word(e.a)) {
    const auto words = wordsOf(view.slots[e.a]);
    reportRequired(view, e.a, e.op == ExprOp::SlotIs ? wordList(e) : llvm::ArrayRef<WordId>(words), subject, line,
                   judgement);
    return true;
  }
  if (!view.isWritten(e.a))
    return false;
  const WordId word = view.slotWord[e.a];
  // Blame the word that triggered the rule, unless the shape determines the layouts.
  const bool called = (subject.place.kind == FindingPlace::Word || subject.place.kind == FindingPlace::Suffix) &&
                      isa::word(word).wordClass != isa::WordClass::Layout;
  const FindingPlace place = called ? subject.place : view.placeOfSlot(e.a);
  if (negated && e.op == ExprOp::SlotWritten)
    report(Phase::Condition, DiagId::QualifierNotAllowed, place, isa::word(word).text(), subject.text);
  else
    explainCombination(place, word, wanted);
  return true;
}

void Failure::explainCombination(FindingPlace place, WordId word, const std::string &wanted) {
  Finding &f = reportCombination(view, subject, place, word, judgement);
  f.args.push_back(wanted);
  f.line = line;
}

/// Returns false if none of the words is written.
bool Failure::explainWord(const Expr &e, bool negated) {
  if (!negated) {
    report(Phase::Condition, DiagId::MissingQualifier, subject.place, subject.text, wordsText(wordList(e))).kind =
        e.c ? kindOf(wordList(e).front()) : Kind::Other;
    return true;
  }
  const FindingPlace place = placeOfWord(view, wordList(e));
  if (place.kind == FindingPlace::Opcode)
    return false;
  report(Phase::Condition, DiagId::QualifierNotAllowed, place,
         std::string(llvm::StringRef(textAt(view, place)).trim('`')), subject.text);
  return true;
}

template <typename... More>
void Failure::operandFinding(Phase phase, unsigned operand, IdFor<TextThere, More...> written, const More &...more) {
  if (view.nodeOf[operand] < 0)
    reportAbsent(view, operand, subject, judgement).line = line;
  else
    report(phase, written, view.placeOfOperand(operand), textThere, more...);
}

void Failure::explainOperand(const Expr &e, bool negated) {
  const Shape *shape = view.operand(e.a);
  switch (e.op) {
  case ExprOp::OperandWritten: return operandFinding(Phase::Condition, e.a, DiagId::ExtraOperand, subject.text);
  case ExprOp::OperandIsImmediate:
    return operandFinding(Phase::Condition, e.a,
                          negated ? IdTakingTexts<1>(DiagId::ImmediateNotAllowed) : DiagId::ConstantExpected);
  case ExprOp::OperandIsSymbol: {
    const bool special = shape && shape->kind == ShapeKind::Special;
    return operandFinding(Phase::Condition, e.a,
                          special ? IdTakingTexts<1>(DiagId::SpecialRegister) : DiagId::SymbolNotAllowed);
  }
  case ExprOp::OperandNegated: return operandFinding(Phase::Condition, e.a, DiagId::UnexpectedNegation);
  case ExprOp::OperandHasOffset: return operandFinding(Phase::Type, e.a, DiagId::UnexpectedOffset);
  default:
    reportRange(Phase::Condition, view.placeOfOperand(e.a), isa::tables().ranges.slice(e.b, e.c), shape->value,
                judgement)
        .line = line;
  }
}

// NOLINTNEXTLINE(misc-no-recursion): the tables are constant: no input nests their conditions
void Failure::explain(ExprId id, bool negated) {
  const isa::Tables &t = isa::tables();
  const Expr &e = t.exprs[id];
  const bool needsAll = (e.op == ExprOp::And && !negated) || (e.op == ExprOp::Or && negated);
  if (needsAll) {
    for (ExprId argument : t.exprArgs.slice(e.a, e.b))
      if (holds(view, argument) == negated)
        explain(argument, negated);
    return;
  }
  if (!negated && holds(view, id, Assume::GatesHold))
    if (const GateAlternatives ways = alternatives(view, id); !ways.empty())
      return reportGate(view, ways, subject, line, judgement);
  const std::string wanted = describe(view, id, negated);
  switch (e.op) {
  case ExprOp::Not: return explain(e.a, !negated);
  case ExprOp::Gate: return explain(t.gates[e.a].expr, negated);
  case ExprOp::SlotIs:
  case ExprOp::SlotWritten:
    if (explainSlot(e, negated, wanted))
      return;
    break;
  case ExprOp::WordWritten:
    if (explainWord(e, negated))
      return;
    break;
  case ExprOp::OperandWritten:
  case ExprOp::OperandIsImmediate:
  case ExprOp::OperandIsSymbol:
  case ExprOp::OperandNegated:
  case ExprOp::OperandHasOffset:
  case ExprOp::OperandIn: return explainOperand(e, negated);
  case ExprOp::Independent: // has little weight: code that would be valid in the other mode should be explained by the
                            // mode
    report(Phase::Type, DiagId::TextureMode, subject.place, subject.text, wanted);
    return;
  default: break;
  }
  FindingPlace place = subject.place;
  if (std::optional<unsigned> slot = wrongSlot(view, id))
    place = bothWords(place, view.placeOfSlot(*slot));
  if (const WordId word = firstWord(view, id))
    return explainCombination(place, word, wanted);
  report(Phase::Condition, DiagId::OperandCombination, place, subject.text, wanted);
}

void explainFailure(const FormView &view, ExprId condition, const Subject &subject, uint32_t line,
                    Judgement &judgement) {
  const size_t first = judgement.findings.size();
  Failure(view, subject, line, judgement).explain(condition, false);
  if (const uint16_t release = ptxasRelease(condition))
    for (Finding &f : llvm::MutableArrayRef<Finding>(judgement.findings).drop_front(first))
      f.notes.push_back(releaseNote(release));
}

} // namespace ptxray
