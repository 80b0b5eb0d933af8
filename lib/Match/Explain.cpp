#include "Match/Explain.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

namespace ptxray {

using isa::Expr;
using isa::ExprId;
using isa::ExprOp;
using isa::WordId;

// ------------------------------------------------------------------------------ words for messages
std::string join(llvm::ArrayRef<std::string> parts, const char *conjunction) {
  std::string out;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i)
      out += i + 1 < parts.size() ? ", " : std::string(" ") + conjunction + " ";
    out += parts[i];
  }
  return out;
}

std::string quote(std::string_view text) { return "`" + std::string(text) + "`"; }

static llvm::ArrayRef<WordId> wordList(const Expr &e) { return isa::tables().wordLists.slice(e.b, e.c); }

static llvm::SmallVector<WordId, 8> wordsOf(const isa::Slot &slot) {
  llvm::SmallVector<WordId, 8> words;
  for (const isa::SlotValue &value : isa::run(isa::tables().slotValues, slot.values))
    words.push_back(value.word);
  return words;
}

/// Of ranges so wide that their ends say nothing: how far their values are apart; else 0.
static int64_t stepOfWideRanges(llvm::ArrayRef<isa::ValueRange> ranges) {
  const int64_t step = ranges.front().step;
  const bool wide = step > 1 && llvm::all_of(ranges, [&](const isa::ValueRange &r) {
                      return r.step == step && r.low % step == 0 && r.high - r.low > UINT32_MAX - step;
                    });
  return wide ? step : 0;
}

std::string rangesText(llvm::ArrayRef<isa::ValueRange> ranges) {
  if (const int64_t step = stepOfWideRanges(ranges)) {
    const bool zero = llvm::any_of(ranges, [](const isa::ValueRange &r) { return inRange(r, 0); });
    return "the multiples of " + std::to_string(step) + (zero ? "" : " other than 0");
  }
  llvm::SmallVector<std::string, 4> parts;
  for (const isa::ValueRange &r : ranges) {
    std::string part = std::to_string(r.low);
    if (r.high != r.low)
      part += ".." + std::to_string(r.high);
    if (r.step > 1)
      part += " in steps of " + std::to_string(r.step);
    parts.push_back(part);
  }
  return join(parts, "or");
}

static std::string textureMode(bool independent) { return independent ? "`texmode_independent`" : "`texmode_unified`"; }

std::string describe(const FormView &view, ExprId id, bool negated) {
  const isa::Tables &t = isa::tables();
  const Expr &e = t.exprs[id];
  const std::string no = negated ? "no " : "";
  auto operand = [&] { return quote(view.operands[e.a].name); };
  switch (e.op) {
  case ExprOp::And:
  case ExprOp::Or: {
    llvm::SmallVector<std::string, 4> parts;
    for (ExprId argument : t.exprArgs.slice(e.a, e.b))
      if (std::string part = describe(view, argument, negated); !part.empty())
        parts.push_back(part);
    // "`.global` or no `.ss`"
    std::stable_partition(parts.begin(), parts.end(), [](llvm::StringRef part) { return !part.starts_with("no "); });
    return join(parts, (e.op == ExprOp::And) != negated ? "and" : "or");
  }
  case ExprOp::Not: return describe(view, e.a, !negated);
  case ExprOp::Gate: return describe(view, t.gates[e.a].expr, negated);
  case ExprOp::PtxAtLeast: return (negated ? "PTX below " : "PTX ") + isa::versionText(e.a);
  case ExprOp::Target: return (negated ? "not " : "") + std::string(t.targetSets[e.a].text);
  case ExprOp::SlotIs:
  case ExprOp::WordWritten: return no + wordsText(wordList(e), negated ? "and" : "or");
  case ExprOp::SlotWritten: {
    const auto words = wordsOf(view.slots[e.a]);
    if (words.size() <= 4)
      return no + wordsText(words, negated ? "and" : "or");
    const std::string kind = kindName(words.front());
    return kind == kindName(0) ? no + quote(view.slots[e.a].name) : (negated ? "no " : "a ") + kind;
  }
  case ExprOp::SlotsEqual:
    return std::string(negated ? "different " : "the same ") + quote(view.slots[e.a].name) + " and " +
           quote(view.slots[e.b].name);
  case ExprOp::OperandWritten: return no + "operand " + operand();
  case ExprOp::OperandIsImmediate: return no + "immediate for " + operand();
  case ExprOp::OperandIsSymbol: return no + "variable for " + operand();
  case ExprOp::OperandNegated: return no + "minus before " + operand();
  case ExprOp::OperandHasOffset: return no + "offset behind " + operand();
  case ExprOp::Independent: return textureMode(!negated);
  case ExprOp::OperandIn: return operand() + (negated ? " not" : "") + " in " + rangesText(t.ranges.slice(e.b, e.c));
  case ExprOp::True:
  case ExprOp::Warn:
  case ExprOp::Ptxas: break;
  }
  return "";
}

// ------------------------------------------------------------------------------------- subjects
static Place placeOfWord(const FormView &view, llvm::ArrayRef<WordId> words) {
  const auto &written = view.written.opcode.words;
  for (unsigned k = 0; k < written.size(); ++k)
    if (written[k].id && llvm::is_contained(words, written[k].id))
      return {Place::Word, static_cast<uint16_t>(k)};
  for (unsigned j = 0; j < view.slots.size(); ++j)
    if (view.slotAt[j] < 0 && view.slotWord[j] && llvm::is_contained(words, view.slotWord[j]))
      return view.placeOfSlot(j);
  return {Place::Opcode, 0};
}

std::string textAt(const FormView &view, Place place) {
  if (place.kind == Place::Word)
    return quote(view.written.opcode.words[place.index].text);
  if (place.kind == Place::Suffix)
    return quote(isa::word(view.written.shapes[place.index].suffix).text);
  return quote(view.written.opcode.mnemonic->text);
}

/// Adds the written words and operands that make an expression true (or, negated, false).
static void addSubjects(FormView &view, ExprId id, bool negated, Subject &subject) {
  const isa::Tables &t = isa::tables();
  const Expr &e = t.exprs[id];
  auto add = [&](Place place, std::string text) {
    if (!subject.found)
      subject.place = place;
    subject.text += (subject.found ? " with " : "") + text;
    subject.found = true;
  };
  switch (e.op) {
  case ExprOp::And:
  case ExprOp::Or:
    for (ExprId argument : t.exprArgs.slice(e.a, e.b))
      if (view.holds(argument) != negated)
        addSubjects(view, argument, negated, subject);
    break;
  case ExprOp::Not: addSubjects(view, e.a, !negated, subject); break;
  case ExprOp::Gate: addSubjects(view, t.gates[e.a].expr, negated, subject); break;
  case ExprOp::SlotIs:
  case ExprOp::SlotWritten:
    if (view.isWritten(e.a))
      add(view.placeOfSlot(e.a), textAt(view, view.placeOfSlot(e.a)));
    break;
  case ExprOp::SlotsEqual:
    for (unsigned slot : {e.a, e.b})
      if (view.isWritten(slot))
        add(view.placeOfSlot(slot), textAt(view, view.placeOfSlot(slot)));
    break;
  case ExprOp::WordWritten:
    if (Place place = placeOfWord(view, wordList(e)); place.kind != Place::Opcode)
      add(place, textAt(view, place));
    break;
  case ExprOp::OperandWritten:
  case ExprOp::OperandIsImmediate:
  case ExprOp::OperandIsSymbol:
  case ExprOp::OperandNegated:
  case ExprOp::OperandHasOffset:
  case ExprOp::OperandIn:
    if (view.nodeOf[e.a] >= 0)
      add(view.placeOfOperand(e.a), "operand " + quote(view.operands[e.a].name));
    break;
  case ExprOp::Independent: add({Place::Opcode, 0}, textureMode(!negated)); break;
  default: break;
  }
}

Subject subjectOf(FormView &view, ExprId when) {
  Subject subject;
  if (when)
    addSubjects(view, when, false, subject);
  view.takeWarnings();
  if (!subject.found)
    subject.text = quote(view.written.opcode.mnemonic->text);
  return subject;
}

// ------------------------------------------------------------------------------------------ gates
/// All ways to satisfy an expression by another version or target, what is written staying the same.
static GateAlternatives alternatives(FormView &view, ExprId id, bool negated) {
  const isa::Tables &t = isa::tables();
  const Expr &e = t.exprs[id];
  GateAlternative one;
  switch (e.op) {
  case ExprOp::PtxAtLeast: (negated ? one.below : one.least) = e.a; return {one};
  case ExprOp::Target: (negated ? one.others : one.targets).push_back(e.a); return {one};
  case ExprOp::Gate: return alternatives(view, t.gates[e.a].expr, negated);
  case ExprOp::Not: return alternatives(view, e.a, !negated);
  case ExprOp::And:
  case ExprOp::Or: {
    const bool all = (e.op == ExprOp::And) != negated;
    GateAlternatives result;
    if (all)
      result.push_back(one);
    for (ExprId argument : t.exprArgs.slice(e.a, e.b)) {
      const GateAlternatives part = alternatives(view, argument, negated);
      if (!all) {
        result.append(part.begin(), part.end());
        continue;
      }
      GateAlternatives product;
      for (const GateAlternative &left : result)
        for (const GateAlternative &right : part) {
          GateAlternative both = left;
          both.least = std::max(left.least, right.least);
          both.below =
              left.below && right.below ? std::min(left.below, right.below) : std::max(left.below, right.below);
          both.targets.append(right.targets.begin(), right.targets.end());
          both.others.append(right.others.begin(), right.others.end());
          product.push_back(both);
        }
      result = std::move(product);
    }
    return result;
  }
  default:
    if (view.holds(id) != negated)
      return {one};
    return {};
  }
}

static bool namesVariant(uint16_t set) {
  const llvm::StringRef text = llvm::StringRef(isa::tables().targetSets[set].text).rtrim('+');
  return text.ends_with("a") || text.ends_with("f");
}

static void reportGate(FormView &view, const GateAlternatives &ways, Place place, const std::string &what,
                       uint32_t line) {
  const ModuleContext &module = view.written.availability.module();
  const std::string target = module.target == anyTarget ? "" : std::string(isa::tables().targets[module.target].name);
  const GateAlternative *newer = nullptr; // only the version is too low
  bool removed = false, versionInTheWay = !ways.empty(), targetInTheWay = !ways.empty();
  for (const GateAlternative &way : ways) {
    const bool version = versionFits(way, module), fits = targetFits(way, module);
    versionInTheWay &= !version;
    targetInTheWay &= !fits;
    if (fits && !version && way.below && module.ptx >= way.below)
      removed = true;
    else if (fits && !version && (!newer || way.least < newer->least))
      newer = &way;
  }
  const bool ofWord = place.kind == Place::Word || place.kind == Place::Suffix;
  const DiagId ptxId = ofWord ? DiagId::QualifierRequiresPtx : DiagId::RequiresPtx;
  Finding *f;
  if (removed && !newer) {
    f = &view.report(Phase::Gate, DiagId::RemovedInPtx, place, {what, wording(ways), isa::versionText(module.ptx)});
  } else if (newer || (versionInTheWay && !targetInTheWay)) {
    const uint16_t least = newer ? newer->least : ways.front().least;
    f = &view.report(Phase::Gate, ptxId, place, {what, isa::versionText(least), isa::versionText(module.ptx)});
    f->remedy = {Remedy::RaiseVersion, least, isa::versionText(least)};
  } else {
    bool variantsOnly = true;
    for (const GateAlternative &way : ways)
      for (uint16_t set : way.targets)
        variantsOnly &= namesVariant(set);
    if (versionInTheWay) {
      uint16_t least = UINT16_MAX;
      for (const GateAlternative &way : ways)
        least = std::min(least, way.least);
      Finding &first =
          view.report(Phase::Gate, ptxId, place, {what, isa::versionText(least), isa::versionText(module.ptx)});
      first.line = line;
    }
    const DiagId id = variantsOnly ? (ofWord ? DiagId::QualifierRequiresTargetVariant : DiagId::RequiresTargetVariant)
                                   : (ofWord ? DiagId::QualifierRequiresTarget : DiagId::RequiresTarget);
    f = &view.report(Phase::Gate, id, place, {what, wording(ways), target});
  }
  f->line = line;
}

void reportWarnings(FormView &view, Place place, std::string what, uint32_t line, bool value) {
  for (uint16_t warning : view.takeWarnings()) {
    const isa::Text name = isa::tables().warnings[warning];
    const DiagId standard = value ? DiagId::UndocumentedQualifier : DiagId::UndocumentedCombination;
    const DiagId id = name.empty() ? standard : findDiag(name).value_or(standard);
    const bool isPedantic = info(id).level == Severity::Pedantic;
    if (isPedantic && !view.written.availability.module().pedantic)
      continue;
    Finding &f = view.report(Phase::Warning, id, place, {what});
    f.severity = isPedantic ? Severity::Pedantic : Severity::Warning;
    f.line = line;
  }
}

// --------------------------------------------------------------------------- why a condition fails
/// The first word that an expression speaks of: it says what kind of rule this is.
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

std::optional<unsigned> wrongSlot(const FormView &view, ExprId id) {
  const isa::Tables &t = isa::tables();
  const Expr &e = t.exprs[id];
  if (e.op == ExprOp::SlotIs && view.isWritten(e.a) && !llvm::is_contained(wordList(e), view.slotWord[e.a]))
    return e.a;
  if (e.op == ExprOp::And || e.op == ExprOp::Or)
    for (ExprId argument : t.exprArgs.slice(e.a, e.b))
      if (auto slot = wrongSlot(view, argument))
        return slot;
  return std::nullopt;
}

static bool speaksOfWords(const FormView &view, ExprId id) { return firstWord(view, id) != 0; }

Place bothWords(Place one, Place other) {
  if (one.kind == Place::Word && other.kind == Place::Word &&
      (one.index + 1 == other.index || other.index + 1 == one.index))
    return {Place::Word, std::min(one.index, other.index), 2};
  return other;
}

DiagId combinationId(const FormView &view, Place subject, WordId word) {
  // `.lo` of `mul.lo` is no comparison.
  if (word && llvm::any_of(llvm::ArrayRef(view.written.opcode.words).take_front(view.written.opcode.mnemonicWords),
                           [&](const OpcodeWord &spelt) { return spelt.id == word; }))
    return DiagId::QualifierCombination;
  if (subject.kind == Place::Word && isa::word(word).wordClass == isa::WordClass::Type)
    if (auto id = findDiag(kindName(view.written.opcode.words[subject.index].id) + "-type"))
      return *id;
  return findDiag(kindName(word) + "-combination").value_or(DiagId::QualifierCombination);
}

/// Where a word has to be inserted to follow the form's order.
static uint16_t wordBefore(const FormView &view, unsigned slot) {
  uint16_t behind = view.written.opcode.mnemonicWords - 1;
  for (unsigned j = 0; j < slot; ++j)
    if (view.isWritten(j) && view.slotAt[j] >= 0)
      behind = view.slotAt[j];
  return behind;
}

void reportRequired(FormView &view, unsigned slot, llvm::ArrayRef<WordId> words, const Subject &subject,
                    uint32_t line) {
  const WordId word = words.empty() ? WordId(0) : words.front();
  const DiagId id = !word || kindName(word) == kindName(0) ? DiagId::QualifierRequires
                                                           : idForKind("missing", word, DiagId::QualifierRequires);
  Finding &f = view.report(Phase::Condition, id, subject.place, {subject.text});
  f.line = line;
  f.expected.append(words.begin(), words.end());
  if (!view.slots[slot].suffix)
    f.remedy = {Remedy::InsertAfterWord, wordBefore(view, slot), ""};
}

Finding &reportRange(FormView &view, Phase phase, Place place, llvm::ArrayRef<isa::ValueRange> ranges, int64_t value) {
  const bool single = llvm::all_of(ranges, [](const isa::ValueRange &r) { return r.low == r.high; });
  const bool stepped =
      llvm::any_of(ranges, [&](const isa::ValueRange &r) { return r.step > 1 && value >= r.low && value <= r.high; });
  const DiagId id = single ? DiagId::ImmediateValue : stepped ? DiagId::ImmediateStep : DiagId::ImmediateRange;
  Finding &f = view.report(phase, id, place, {"", rangesText(ranges)});
  f.sourceArg = 0;
  return f;
}

static void explain(FormView &view, ExprId id, bool negated, const Subject &subject, uint32_t line) {
  const isa::Tables &t = isa::tables();
  const Expr &e = t.exprs[id];
  const bool needsAll = (e.op == ExprOp::And && !negated) || (e.op == ExprOp::Or && negated);
  if (needsAll) {
    for (ExprId argument : t.exprArgs.slice(e.a, e.b))
      if (view.holds(argument) == negated)
        explain(view, argument, negated, subject, line);
    return;
  }
  if (!negated && view.holds(id, FormView::Assume::GatesHold))
    if (const GateAlternatives ways = alternatives(view, id, false); !ways.empty())
      return reportGate(view, ways, subject.place, subject.text, line);
  view.takeWarnings();
  const std::string wanted = describe(view, id, negated);
  auto operandFinding = [&](DiagId with, DiagId without, Phase phase = Phase::Condition) {
    if (view.nodeOf[e.a] >= 0) {
      Finding &f = view.report(phase, with, view.placeOfOperand(e.a), {"", wanted});
      f.sourceArg = 0;
      f.line = line;
    } else {
      view.report(Phase::Condition, without, subject.place, {subject.text, std::string(view.operands[e.a].name)}).line =
          line;
    }
  };
  switch (e.op) {
  case ExprOp::Not: return explain(view, e.a, !negated, subject, line);
  case ExprOp::Gate: return explain(view, t.gates[e.a].expr, negated, subject, line);
  case ExprOp::SlotIs:
  case ExprOp::SlotWritten:
    if (!negated && !view.word(e.a)) {
      const auto words = wordsOf(view.slots[e.a]);
      return reportRequired(view, e.a, e.op == ExprOp::SlotIs ? wordList(e) : llvm::ArrayRef<WordId>(words), subject,
                            line);
    }
    if (view.isWritten(e.a)) {
      const WordId word = view.slotWord[e.a];
      // A word calls the rule: it is the one out of place.
      const Place place = subject.place.kind == Place::Word || subject.place.kind == Place::Suffix
                              ? subject.place
                              : view.placeOfSlot(e.a);
      if (negated && e.op == ExprOp::SlotWritten)
        view.report(Phase::Condition, DiagId::QualifierNotAllowed, place,
                    {std::string(isa::word(word).text), subject.text})
            .line = line;
      else
        view.report(Phase::Condition, combinationId(view, subject.place, word), place, {subject.text, wanted}).line =
            line;
      return;
    }
    break;
  case ExprOp::WordWritten:
    if (!negated) {
      view.report(Phase::Condition, DiagId::QualifierRequires, subject.place, {subject.text, wordsText(wordList(e))})
          .line = line;
      return;
    }
    if (Place place = placeOfWord(view, wordList(e)); place.kind != Place::Opcode) {
      view.report(Phase::Condition, DiagId::QualifierNotAllowed, place,
                  {std::string(llvm::StringRef(textAt(view, place)).trim('`')), subject.text})
          .line = line;
      return;
    }
    break;
  case ExprOp::OperandWritten: return operandFinding(DiagId::ExtraOperand, DiagId::MissingOperand);
  case ExprOp::OperandIsImmediate:
    return operandFinding(negated ? DiagId::ImmediateNotAllowed : DiagId::ConstantExpected, DiagId::MissingOperand);
  case ExprOp::OperandIsSymbol: {
    const Shape *shape = view.operand(e.a);
    const bool special = shape && shape->kind == ShapeKind::Special;
    return operandFinding(special ? DiagId::SpecialRegister : DiagId::SymbolNotAllowed, DiagId::MissingOperand);
  }
  case ExprOp::OperandNegated: return operandFinding(DiagId::UnexpectedNegation, DiagId::MissingOperand);
  case ExprOp::OperandHasOffset: return operandFinding(DiagId::UnexpectedOffset, DiagId::MissingOperand, Phase::Type);
  case ExprOp::Independent: // light: what would be right in the other mode is best blamed on the mode
    view.report(Phase::Type, DiagId::TextureMode, subject.place, {subject.text, wanted}).line = line;
    return;
  case ExprOp::OperandIn:
    reportRange(view, Phase::Condition, view.placeOfOperand(e.a), t.ranges.slice(e.b, e.c), view.operand(e.a)->value)
        .line = line;
    return;
  default: break;
  }
  Place place = subject.place;
  if (std::optional<unsigned> slot = wrongSlot(view, id))
    place = bothWords(place, view.placeOfSlot(*slot));
  view.report(Phase::Condition,
              speaksOfWords(view, id) ? combinationId(view, subject.place, firstWord(view, id))
                                      : DiagId::OperandCombination,
              place, {subject.text, wanted})
      .line = line;
}

std::string releaseNote(uint16_t release) { return "ptxas before " + isa::versionText(release) + " judges otherwise"; }

uint16_t ptxasRelease(ExprId id) {
  const isa::Tables &t = isa::tables();
  const Expr &e = t.exprs[id];
  if (e.op == ExprOp::Ptxas)
    return e.a;
  if (e.op == ExprOp::And || e.op == ExprOp::Or)
    for (ExprId argument : t.exprArgs.slice(e.a, e.b))
      if (uint16_t release = ptxasRelease(argument))
        return release;
  return e.op == ExprOp::Gate ? ptxasRelease(t.gates[e.a].expr) : 0;
}

void explainFailure(FormView &view, ExprId condition, Place place, std::string text, uint32_t line) {
  Subject subject{place, std::move(text), true};
  const size_t first = view.findings.size();
  explain(view, condition, false, subject, line);
  view.takeWarnings();
  if (const uint16_t release = ptxasRelease(condition))
    for (Finding &f : llvm::MutableArrayRef<Finding>(view.findings).drop_front(first))
      f.notes.push_back(releaseNote(release));
}

} // namespace ptxray
