// Tables, `requires`, `when` and `with`: whether they hold, and what is missing where they do not.
#include "Check/FormView.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <tuple>

namespace ptxray {

using isa::Cell;
using isa::CellKind;
using isa::Column;
using isa::ColumnKind;
using isa::Expr;
using isa::ExprId;
using isa::ExprOp;
using isa::WordId;

// ------------------------------------------------------------------------------ words for messages
static std::string join(llvm::ArrayRef<std::string> parts, const char *conjunction) {
  std::string out;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i)
      out += i + 1 < parts.size() ? ", " : std::string(" ") + conjunction + " ";
    out += parts[i];
  }
  return out;
}

static std::string quote(std::string_view text) { return "`" + std::string(text) + "`"; }

static llvm::ArrayRef<WordId> wordList(const Expr &e) {
  return isa::tables().wordLists.slice(e.b, e.c);
}

static llvm::SmallVector<WordId, 8> wordsOf(const isa::Slot &slot) {
  llvm::SmallVector<WordId, 8> words;
  for (const isa::SlotValue &value : isa::run(isa::tables().slotValues, slot.values))
    words.push_back(value.word);
  return words;
}

std::string rangesText(llvm::ArrayRef<isa::ValueRange> ranges) {
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

/// What an expression asks for, in words.
static std::string describe(const FormView &view, ExprId id, bool negated = false) {
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
  case ExprOp::Not:
    return describe(view, e.a, !negated);
  case ExprOp::Gate:
    return describe(view, t.gates[e.a].expr, negated);
  case ExprOp::PtxAtLeast:
    return (negated ? "PTX below " : "PTX ") + isa::versionText(e.a);
  case ExprOp::Target:
    return (negated ? "not " : "") + std::string(t.targetSets[e.a].text);
  case ExprOp::SlotIs:
  case ExprOp::WordWritten:
    return no + wordsText(wordList(e), negated ? "and" : "or");
  case ExprOp::SlotWritten: {
    const auto words = wordsOf(view.slots[e.a]);
    return no + (words.size() > 4 ? quote(view.slots[e.a].name)
                                  : wordsText(words, negated ? "and" : "or"));
  }
  case ExprOp::SlotsEqual:
    return std::string(negated ? "different " : "the same ") + quote(view.slots[e.a].name) + " and " +
           quote(view.slots[e.b].name);
  case ExprOp::OperandWritten:
    return no + "operand " + operand();
  case ExprOp::OperandIsImmediate:
    return no + "immediate for " + operand();
  case ExprOp::OperandIsSymbol:
    return no + "variable for " + operand();
  case ExprOp::OperandNegated:
    return no + "minus before " + operand();
  case ExprOp::OperandIn:
    return operand() + (negated ? " not" : "") + " in " + rangesText(t.ranges.slice(e.b, e.c));
  case ExprOp::True:
  case ExprOp::Warn:
  case ExprOp::Ptxas:
    break;
  }
  return "";
}

// ------------------------------------------------------------------------------------- subjects
namespace {
/// What a broken rule is about: the words that call it.
struct Subject {
  Place place = {Place::Mnemonic, 0};
  std::string text; // quoted
  bool found = false;
};
} // namespace

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

static std::string textAt(const FormView &view, Place place) {
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
  case ExprOp::Not:
    addSubjects(view, e.a, !negated, subject);
    break;
  case ExprOp::Gate:
    addSubjects(view, t.gates[e.a].expr, negated, subject);
    break;
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
  case ExprOp::OperandIn:
    if (view.nodeOf[e.a] >= 0)
      add(view.placeOfOperand(e.a), "operand " + quote(view.operands[e.a].name));
    break;
  default:
    break;
  }
}

static Subject subjectOf(FormView &view, ExprId when) {
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
  case ExprOp::PtxAtLeast:
    (negated ? one.below : one.least) = e.a;
    return {one};
  case ExprOp::Target:
    (negated ? one.others : one.targets).push_back(e.a);
    return {one};
  case ExprOp::Gate:
    return alternatives(view, t.gates[e.a].expr, negated);
  case ExprOp::Not:
    return alternatives(view, e.a, !negated);
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
          both.below = left.below && right.below ? std::min(left.below, right.below)
                                                 : std::max(left.below, right.below);
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

static void reportGate(FormView &view, const GateAlternatives &ways, Place place,
                       const std::string &what, uint32_t line) {
  const ModuleContext &module = view.written.availability.module();
  const std::string target =
      module.target == anyTarget ? "" : std::string(isa::tables().targets[module.target].name);
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
    f = &view.report(Phase::Gate, DiagId::RemovedInPtx, place,
                     {what, wording(ways), isa::versionText(module.ptx)});
  } else if (newer || (versionInTheWay && !targetInTheWay)) {
    const uint16_t least = newer ? newer->least : ways.front().least;
    f = &view.report(Phase::Gate, ptxId, place,
                     {what, isa::versionText(least), isa::versionText(module.ptx)});
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
      Finding &first = view.report(Phase::Gate, ptxId, place,
                                   {what, isa::versionText(least), isa::versionText(module.ptx)});
      first.line = line;
    }
    const DiagId id = variantsOnly
                          ? (ofWord ? DiagId::QualifierRequiresTargetVariant
                                    : DiagId::RequiresTargetVariant)
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
    Finding &f = view.report(Phase::Warning, id, place, {what});
    f.severity = Severity::Warning;
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
  case ExprOp::Not:
    return firstWord(view, e.a);
  case ExprOp::Gate:
    return firstWord(view, t.gates[e.a].expr);
  case ExprOp::SlotIs:
  case ExprOp::WordWritten:
    return e.c ? wordList(e).front() : WordId(0);
  case ExprOp::SlotWritten:
  case ExprOp::SlotsEqual: {
    auto words = wordsOf(view.slots[e.a]);
    return words.empty() ? WordId(0) : words.front();
  }
  default:
    return 0;
  }
}

/// A slot whose word is another than the expression asks for.
static std::optional<unsigned> wrongSlot(const FormView &view, ExprId id) {
  const isa::Tables &t = isa::tables();
  const Expr &e = t.exprs[id];
  if (e.op == ExprOp::SlotIs && view.isWritten(e.a) &&
      !llvm::is_contained(wordList(e), view.slotWord[e.a]))
    return e.a;
  if (e.op == ExprOp::And || e.op == ExprOp::Or)
    for (ExprId argument : t.exprArgs.slice(e.a, e.b))
      if (auto slot = wrongSlot(view, argument))
        return slot;
  return std::nullopt;
}

static bool speaksOfWords(const FormView &view, ExprId id) { return firstWord(view, id) != 0; }

/// Two words that do not go together, where they stand side by side; else the second.
static Place bothWords(Place one, Place other) {
  if (one.kind == Place::Word && other.kind == Place::Word &&
      (one.index + 1 == other.index || other.index + 1 == one.index))
    return {Place::Word, std::min(one.index, other.index), 2};
  return other;
}

/// `operation-type` for a type that an operation does not take, `type-combination` for one that goes
/// with no other word.
static DiagId combinationId(const FormView &view, Place subject, WordId word) {
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

static void reportRequired(FormView &view, unsigned slot, llvm::ArrayRef<WordId> words,
                           const Subject &subject, uint32_t line) {
  const WordId word = words.empty() ? WordId(0) : words.front();
  const DiagId id = !word || kindName(word) == kindName(0)
                        ? DiagId::QualifierRequires
                        : idForKind("missing", word, DiagId::QualifierRequires);
  Finding &f = view.report(Phase::Condition, id, subject.place, {subject.text});
  f.line = line;
  f.expected.append(words.begin(), words.end());
  if (!view.slots[slot].suffix)
    f.remedy = {Remedy::InsertAfterWord, wordBefore(view, slot), ""};
}

Finding &reportRange(FormView &view, Phase phase, Place place,
                     llvm::ArrayRef<isa::ValueRange> ranges, int64_t value) {
  const bool single = llvm::all_of(ranges, [](const isa::ValueRange &r) { return r.low == r.high; });
  const bool stepped = llvm::any_of(ranges, [&](const isa::ValueRange &r) {
    return r.step > 1 && value >= r.low && value <= r.high;
  });
  const DiagId id = single    ? DiagId::ImmediateValue
                    : stepped ? DiagId::ImmediateStep
                              : DiagId::ImmediateRange;
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
  auto operandFinding = [&](DiagId with, DiagId without) {
    if (view.nodeOf[e.a] >= 0) {
      Finding &f = view.report(Phase::Condition, with, view.placeOfOperand(e.a), {"", wanted});
      f.sourceArg = 0;
      f.line = line;
    } else {
      view.report(Phase::Condition, without, subject.place,
                  {subject.text, std::string(view.operands[e.a].name)})
          .line = line;
    }
  };
  switch (e.op) {
  case ExprOp::Not:
    return explain(view, e.a, !negated, subject, line);
  case ExprOp::Gate:
    return explain(view, t.gates[e.a].expr, negated, subject, line);
  case ExprOp::SlotIs:
  case ExprOp::SlotWritten:
    if (!negated && !view.word(e.a)) {
      const auto words = wordsOf(view.slots[e.a]);
      return reportRequired(view, e.a,
                            e.op == ExprOp::SlotIs ? wordList(e) : llvm::ArrayRef<WordId>(words),
                            subject, line);
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
        view.report(Phase::Condition, combinationId(view, subject.place, word), place,
                    {subject.text, wanted}).line = line;
      return;
    }
    break;
  case ExprOp::WordWritten:
    if (!negated) {
      view.report(Phase::Condition, DiagId::QualifierRequires, subject.place,
                  {subject.text, wordsText(wordList(e))})
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
  case ExprOp::OperandWritten:
    return operandFinding(DiagId::ExtraOperand, DiagId::MissingOperand);
  case ExprOp::OperandIsImmediate:
    return operandFinding(negated ? DiagId::ImmediateNotAllowed : DiagId::ConstantExpected,
                          DiagId::MissingOperand);
  case ExprOp::OperandIsSymbol:
    return operandFinding(DiagId::SymbolNotAllowed, DiagId::MissingOperand);
  case ExprOp::OperandNegated:
    return operandFinding(DiagId::UnexpectedNegation, DiagId::MissingOperand);
  case ExprOp::OperandIn:
    reportRange(view, Phase::Condition, view.placeOfOperand(e.a), t.ranges.slice(e.b, e.c),
                view.operand(e.a)->value)
        .line = line;
    return;
  default:
    break;
  }
  Place place = subject.place;
  if (std::optional<unsigned> slot = wrongSlot(view, id))
    place = bothWords(place, view.placeOfSlot(*slot));
  view.report(Phase::Condition,
              speaksOfWords(view, id) ? combinationId(view, subject.place, firstWord(view, id)) : DiagId::OperandCombination,
              place, {subject.text, wanted})
      .line = line;
}

std::string releaseNote(uint16_t release) { return "ptxas before " + isa::versionText(release) + " judges otherwise"; }

/// The release of ptxas that an expression names, or 0.
static uint16_t ptxasRelease(ExprId id) {
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

// ----------------------------------------------------------------------------------------- tables
namespace {

struct RowFit {
  uint32_t row;
  llvm::SmallVector<uint16_t, 4> missed; // columns of slots and operands
  llvm::SmallVector<std::pair<uint16_t, uint16_t>, 2> badLength, badValue; // operand, column
  bool badCondition = false;
  bool warns = false;

  bool fits() const {
    return missed.empty() && badLength.empty() && badValue.empty() && !badCondition;
  }
  /// Nearer rows come first: the longest agreeing run of columns, then the fewest misses.
  auto distance() const {
    return std::tuple(missed.empty() ? 0 : 0x10000 - missed.front(), missed.size(),
                      badLength.size() + badValue.size(), badCondition, warns);
  }
};

class TableView {
public:
  TableView(FormView &view, const isa::Table &table)
      : view(view), table(table), columns(isa::run(isa::tables().columns, table.columns)) {}

  const Cell &cell(uint32_t row, unsigned column) const {
    return isa::tables().cells[table.firstCell + row * columns.size() + column];
  }
  llvm::ArrayRef<uint16_t> members(unsigned column) const {
    return isa::run(isa::tables().columnMembers, columns[column].members);
  }
  uint32_t line(uint32_t row) const { return isa::tables().rowLines[table.firstRowLine + row]; }

  RowFit fit(uint32_t row);
  FormView &view;
  const isa::Table &table;
  llvm::ArrayRef<Column> columns;
};

} // namespace

bool lengthFits(const FormView &view, unsigned operand, llvm::ArrayRef<isa::Term> terms) {
  const Shape &shape = *view.operand(operand);
  if (shape.kind == ShapeKind::Unknown)
    return true;
  const bool isVector = shape.kind == ShapeKind::Vector;
  if (!isVector && !shape.vector && (view.operands[operand].rules & isa::Vec))
    return false;
  int64_t length = shape.vector ? shape.vector : 1; // a register of vector type as a whole
  if (isVector) {
    length = 0;
    const auto &shapes = view.written.shapes;
    const unsigned first = view.nodeOf[operand];
    for (unsigned n = first + 1; n < first + shape.extent; n += shapes[n].extent)
      ++length;
  }
  return llvm::any_of(terms, [&](const isa::Term &term) {
    return view.value(term).value_or(1) == length;
  });
}

RowFit TableView::fit(uint32_t row) {
  const isa::Tables &t = isa::tables();
  RowFit result{row, {}, {}, {}};
  for (unsigned c = 0; c < columns.size(); ++c) {
    const Cell &cell = this->cell(row, c);
    if (cell.kind == CellKind::Any || columns[c].kind == ColumnKind::Requires)
      continue;
    if (columns[c].kind == ColumnKind::Slot) {
      if (members(c).empty())
        continue; // the column speaks of a slot that this form does not have
      const WordId word = view.word(members(c).front());
      const bool fits = !word ? cell.kind == CellKind::Absent || cell.orAbsent
                              : cell.kind == CellKind::Present ||
                                    (cell.kind == CellKind::Words &&
                                     llvm::is_contained(t.wordLists.slice(cell.first, cell.count), word));
      if (!fits)
        result.missed.push_back(c);
      continue;
    }
    if (columns[c].kind == ColumnKind::Operand) {
      const bool written =
          llvm::any_of(members(c), [&](uint16_t operand) { return view.nodeOf[operand] >= 0; });
      if (written != (cell.kind == CellKind::Present))
        result.missed.push_back(c);
      continue;
    }
    for (uint16_t operand : members(c)) {
      if (view.nodeOf[operand] < 0)
        continue;
      if (cell.kind == CellKind::Lengths &&
          !lengthFits(view, operand, t.terms.slice(cell.first, cell.count)))
        result.badLength.push_back({operand, static_cast<uint16_t>(c)});
      const Shape &shape = *view.operand(operand);
      if (cell.kind == CellKind::Ranges && shape.kind == ShapeKind::Integer &&
          llvm::none_of(t.ranges.slice(cell.first, cell.count),
                        [&](const isa::ValueRange &r) { return inRange(r, shape.value); }))
        result.badValue.push_back({operand, static_cast<uint16_t>(c)});
    }
  }
  if (!result.missed.empty())
    return result;
  for (unsigned c = 0; c < columns.size(); ++c)
    if (columns[c].kind == ColumnKind::Requires && cell(row, c).kind == CellKind::Condition) {
      result.badCondition = !view.holds(cell(row, c).first);
      result.warns = !view.takeWarnings().empty();
    }
  return result;
}

/// The word of the first column, which people choose first: what the missing part goes with.
static Subject contextOf(TableView &rows, unsigned column) {
  FormView &view = rows.view;
  Subject subject;
  auto take = [&](unsigned c) {
    if (rows.columns[c].kind != ColumnKind::Slot || rows.members(c).empty())
      return false;
    const unsigned slot = rows.members(c).front();
    if (!view.isWritten(slot) || view.slots[slot].literal)
      return false;
    subject.place = view.placeOfSlot(slot);
    subject.text = textAt(view, subject.place);
    subject.found = true;
    return true;
  };
  for (unsigned c = 0; c < column; ++c)
    if (take(c))
      return subject;
  subject.text = quote(view.written.opcode.mnemonic->text);
  return subject;
}

/// The row as the .isa file has it, without the columns that say nothing.
static std::string rowText(const TableView &rows, uint32_t row) {
  const isa::Tables &t = isa::tables();
  std::string out;
  for (unsigned c = 0; c < rows.columns.size(); ++c) {
    const Cell &cell = rows.cell(row, c);
    const bool ofSlot = rows.columns[c].kind == ColumnKind::Slot;
    if ((!ofSlot && rows.columns[c].kind != ColumnKind::Operand) || cell.kind == CellKind::Any ||
        (ofSlot && rows.members(c).empty()))
      continue;
    const std::string name(rows.columns[c].text);
    if (cell.kind == CellKind::Absent || cell.kind == CellKind::Present) {
      out += (out.empty() ? "" : ", ") + (cell.kind == CellKind::Absent ? "no " + name : name);
      continue;
    }
    out += (out.empty() ? "" : ", ") + name + " =";
    for (WordId word : t.wordLists.slice(cell.first, cell.count))
      out += " " + std::string(isa::word(word).text);
    if (cell.orAbsent)
      out += " or none";
  }
  return out;
}

static void reportMissedColumn(TableView &rows, unsigned c, llvm::ArrayRef<RowFit> nearest) {
  FormView &view = rows.view;
  const isa::Tables &t = isa::tables();
  const Subject context = contextOf(rows, c);
  const uint32_t line = rows.line(nearest.front().row);
  if (rows.columns[c].kind == ColumnKind::Operand) {
    if (rows.cell(nearest.front().row, c).kind == CellKind::Present) {
      view.report(Phase::Condition, DiagId::MissingOperand, context.place,
                  {context.text, std::string(rows.columns[c].text)})
          .line = line;
      return;
    }
    for (uint16_t operand : rows.members(c))
      if (view.nodeOf[operand] >= 0) {
        Finding &f = view.report(Phase::Condition, DiagId::ExtraOperand, view.placeOfOperand(operand),
                                 {"", context.text});
        f.sourceArg = 0;
        f.line = line;
      }
    return;
  }

  const unsigned slot = rows.members(c).front();
  llvm::SmallVector<WordId, 8> allowed; // of all rows that are equally near
  bool orAbsent = false;
  for (const RowFit &fit : nearest) {
    const Cell &cell = rows.cell(fit.row, c);
    orAbsent |= cell.kind == CellKind::Absent || cell.orAbsent;
    if (cell.kind == CellKind::Words)
      for (WordId word : t.wordLists.slice(cell.first, cell.count))
        if (!llvm::is_contained(allowed, word))
          allowed.push_back(word);
  }
  if (!view.isWritten(slot))
    return reportRequired(view, slot, allowed, context, line);
  const WordId word = view.slotWord[slot];
  const Place place = view.placeOfSlot(slot);
  if (allowed.empty()) {
    Finding &f = view.report(Phase::Condition, DiagId::QualifierNotAllowed,
                             bothWords(context.place, place), {std::string(isa::word(word).text), context.text});
    f.line = line;
    if (place.kind == Place::Word)
      f.remedy = {Remedy::RemoveWord, place.index, ""};
    return;
  }
  Finding &f = view.report(Phase::Condition, combinationId(view, context.place, word),
                           bothWords(context.place, place), {context.text});
  f.line = line;
  f.expected.append(allowed.begin(), allowed.end());
  if (!orAbsent && place.kind == Place::Word)
    f.remedy = {Remedy::ReplaceWord, place.index, ""};
}

static std::string lengthsText(const FormView &view, llvm::ArrayRef<isa::Term> terms) {
  llvm::SmallVector<std::string, 4> parts;
  for (const isa::Term &term : terms)
    parts.push_back(std::to_string(view.value(term).value_or(1)));
  return join(parts, "or");
}

void reportLength(FormView &view, unsigned operand, llvm::ArrayRef<isa::Term> terms,
                  uint32_t line) {
  const Shape &shape = *view.operand(operand);
  const isa::OperandDecl &declared = view.operands[operand];
  const Place place = view.placeOfOperand(operand);
  const std::string wanted = lengthsText(view, terms), name(declared.name);
  if (shape.kind != ShapeKind::Vector) {
    Finding &f = view.report(Phase::Type, DiagId::VectorExpected, place, {"", name, wanted});
    f.sourceArg = 0;
    f.line = line;
    return;
  }
  unsigned length = 0;
  const auto &shapes = view.written.shapes;
  const unsigned first = view.nodeOf[operand];
  for (unsigned n = first + 1; n < first + shape.extent; n += shapes[n].extent)
    ++length;
  view.report(Phase::Type, DiagId::VectorLength, place, {name, std::to_string(length), wanted}).line = line;
}

/// What sets a row apart from those that the module may use: the word that needs the gate.
static Subject gatedWord(TableView &rows, llvm::ArrayRef<RowFit> fits, uint32_t row) {
  FormView &view = rows.view;
  const RowFit *other = nullptr;
  for (const RowFit &fit : fits) {
    bool usable = fit.row != row && !fit.missed.empty();
    for (unsigned c = 0; usable && c < rows.columns.size(); ++c)
      if (rows.columns[c].kind == ColumnKind::Requires &&
          rows.cell(fit.row, c).kind == CellKind::Condition)
        usable = view.holds(rows.cell(fit.row, c).first);
    if (usable && (!other || fit.distance() < other->distance()))
      other = &fit;
  }
  view.takeWarnings();
  Subject subject;
  auto take = [&](unsigned c) {
    if (rows.columns[c].kind != ColumnKind::Slot || rows.members(c).empty() ||
        !view.isWritten(rows.members(c).front()))
      return false;
    subject.place = view.placeOfSlot(rows.members(c).front());
    subject.text = textAt(view, subject.place);
    subject.found = true;
    return true;
  };
  if (other)
    for (unsigned c : other->missed)
      if (take(c))
        return subject;
  for (unsigned c = 0; c < rows.columns.size(); ++c)
    if (take(c))
      return subject;
  subject.text = quote(view.written.opcode.mnemonic->text);
  return subject;
}

static void judgeTable(FormView &view, const isa::Table &table) {
  const isa::Tables &t = isa::tables();
  TableView rows(view, table);
  std::optional<uint32_t> chosen;
  bool warns = false;
  for (uint32_t row = 0; row < table.rows && (!chosen || warns); ++row)
    if (const RowFit fit = rows.fit(row); fit.fits() && (!chosen || !fit.warns)) {
      chosen = row;
      warns = fit.warns;
    }
  if (chosen) {
    for (unsigned c = 0; c < rows.columns.size(); ++c) {
      const Cell &cell = rows.cell(*chosen, c);
      for (uint16_t member : rows.members(c)) {
        if (cell.kind == CellKind::Lengths)
          view.lengthCell[member] = &cell - t.cells.data();
        if (cell.kind == CellKind::Ranges)
          view.valuesCell[member] = &cell - t.cells.data();
      }
      if (warns && rows.columns[c].kind == ColumnKind::Requires && view.holds(cell.first)) {
        const Subject subject = contextOf(rows, rows.columns.size());
        reportWarnings(view, subject.place, subject.text, rows.line(*chosen), false);
      }
    }
    return;
  }

  // No row fits. The nearest says what is missing; what rows that are as near ask for is an alternative.
  llvm::SmallVector<RowFit, 16> fits;
  for (uint32_t row = 0; row < table.rows; ++row)
    fits.push_back(rows.fit(row));
  if (fits.empty())
    return;
  const RowFit &best = *std::min_element(fits.begin(), fits.end(), [](const RowFit &a, const RowFit &b) {
    return a.distance() < b.distance();
  });
  if (!best.missed.empty()) {
    llvm::SmallVector<RowFit, 4> nearest;
    for (const RowFit &fit : fits)
      if (fit.missed == best.missed)
        nearest.push_back(fit);
    const size_t first = view.findings.size();
    for (uint16_t c : best.missed)
      reportMissedColumn(rows, c, nearest);
    if (first < view.findings.size())
      view.findings[first].notes.push_back("the nearest row is `" + rowText(rows, best.row) + "`");
    return;
  }
  for (auto [operand, column] : best.badLength) {
    const Cell &cell = rows.cell(best.row, column);
    reportLength(view, operand, t.terms.slice(cell.first, cell.count),
                 rows.line(best.row));
  }
  for (auto [operand, column] : best.badValue) {
    const Cell &cell = rows.cell(best.row, column);
    reportRange(view, Phase::Condition, view.placeOfOperand(operand),
                t.ranges.slice(cell.first, cell.count), view.operand(operand)->value)
        .line = rows.line(best.row);
  }
  if (best.badCondition && best.badLength.empty() && best.badValue.empty())
    for (unsigned c = 0; c < rows.columns.size(); ++c)
      if (rows.columns[c].kind == ColumnKind::Requires) {
        const Subject subject = gatedWord(rows, fits, best.row);
        explainFailure(view, rows.cell(best.row, c).first, subject.place, subject.text,
                       rows.line(best.row));
      }
}

void judgeTables(FormView &view) {
  const isa::Tables &t = isa::tables();
  for (uint32_t table : isa::run(t.formTables, view.form.tables))
    judgeTable(view, t.tables[table]);
}

// ------------------------------------------------------------------------------ the other conditions
/// Does the module allow all that a form asks for without a condition?
static bool isAvailable(FormView &view, const isa::Form &form) {
  const isa::Tables &t = isa::tables();
  return llvm::all_of(isa::run(t.formRules, form.rules), [&](uint32_t index) {
    const isa::Rule &rule = t.rules[index];
    return rule.when || !t.exprs[rule.require].gateOnly ||
           view.written.availability.holds(rule.require);
  });
}

/// How many slots of the tables have the word: the fewer, the more it says.
static size_t slotsWith(WordId word) {
  static const std::vector<uint32_t> counts = [] {
    std::vector<uint32_t> result(isa::tables().words.size());
    for (const isa::SlotValue &value : isa::tables().slotValues)
      ++result[value.word];
    return result;
  }();
  return counts[word];
}

/// What an unconditional rule of a form is about: the first word that no available form of the
/// instruction knows, of several the rarest. If there is none, the instruction as a whole.
static Subject ownWord(FormView &view) {
  const isa::Tables &t = isa::tables();
  const isa::Mnemonic &mnemonic = *view.written.opcode.mnemonic;
  llvm::SmallVector<const isa::Form *, 8> others;
  for (uint32_t form : isa::run(t.mnemonicForms, mnemonic.forms))
    if (form != view.formIndex && isAvailable(view, t.forms[form]))
      others.push_back(&t.forms[form]);
  auto known = [&](WordId word) {
    return llvm::any_of(others, [&](const isa::Form *form) {
      return llvm::any_of(isa::run(t.slots, form->slots), [&](const isa::Slot &slot) {
        return llvm::any_of(isa::run(t.slotValues, slot.values),
                            [&](const isa::SlotValue &value) { return value.word == word; });
      });
    });
  };
  Subject subject{{Place::Opcode, 0}, quote(mnemonic.text), true};
  size_t fewest = SIZE_MAX;
  for (unsigned j = 0; j < view.slots.size() && !others.empty(); ++j) {
    const WordId word = view.slotWord[j];
    if (!word || known(word))
      continue;
    // Types come last: a type alone is seldom what makes an instruction new.
    const size_t count = slotsWith(word) + (isa::word(word).wordClass == isa::WordClass::Type ? 1 << 20 : 0);
    if (count >= fewest)
      continue;
    fewest = count;
    subject.place = view.placeOfSlot(j);
    subject.text = textAt(view, subject.place);
  }
  return subject;
}

void judgeRules(FormView &view) {
  const isa::Tables &t = isa::tables();
  for (uint32_t index : isa::run(t.formRules, view.form.rules)) {
    const isa::Rule &rule = t.rules[index];
    const bool applies = view.holds(rule.when);
    view.takeWarnings();
    if (!applies)
      continue;
    const bool holds = view.holds(rule.require);
    if (holds) {
      const auto warned = view.takeWarnings();
      if (warned.empty())
        continue;
      const Subject subject = subjectOf(view, rule.when);
      view.holds(rule.require);
      reportWarnings(view, subject.place, subject.text, rule.line, false);
      continue;
    }
    view.takeWarnings();
    // `when !.rnd require !modern`: what is missing is a word, not another version.
    if (const Expr &when = t.exprs[rule.when];
        when.op == ExprOp::Not && t.exprs[when.a].op == ExprOp::SlotWritten &&
        t.exprs[rule.require].gateOnly) {
      reportMissing(view, t.exprs[when.a].a, Phase::Gate);
      continue;
    }
    const Subject subject = rule.when ? subjectOf(view, rule.when) : ownWord(view);
    explainFailure(view, rule.require, subject.place, subject.text, rule.line);
  }
}

void judgeFormGates(FormView &view) {
  const isa::Tables &t = isa::tables();
  for (uint32_t index : isa::run(t.formRules, view.form.rules)) {
    const isa::Rule &rule = t.rules[index];
    if (rule.when || !t.exprs[rule.require].gateOnly || view.holds(rule.require))
      continue;
    const Subject subject = ownWord(view);
    explainFailure(view, rule.require, subject.place, subject.text, rule.line);
  }
}

void judgeWordGates(FormView &view) {
  const isa::Tables &t = isa::tables();
  auto judge = [&](ExprId gate, Place place, const std::string &text) {
    if (!gate)
      return;
    if (!view.holds(gate)) {
      view.takeWarnings();
      explainFailure(view, gate, place, text, 0);
    } else {
      reportWarnings(view, place, text, 0, true);
    }
  };
  for (unsigned j = 0; j < view.slots.size(); ++j) {
    const WordId word = view.slotWord[j];
    if (!word)
      continue;
    const Place place = view.placeOfSlot(j);
    const std::string text = quote(isa::word(word).text);
    if (!llvm::is_contained(isa::run(t.wordLists, view.written.opcode.mnemonic->ungated), word))
      judge(isa::word(word).gate, place, text);
    else if (!view.holds(isa::word(word).gate))
      view.report(Phase::Warning, DiagId::UndocumentedQualifier, place, {text}).severity = Severity::Warning;
    auto values = isa::run(t.slotValues, view.slots[j].values);
    auto at = llvm::find_if(values, [&](const isa::SlotValue &v) { return v.word == word; });
    if (at != values.end())
      judge(at->gate, place, text);
  }
  const auto &shapes = view.written.shapes;
  for (uint16_t node = 0; node < shapes.size(); ++node)
    if (shapes[node].kind == ShapeKind::Special && !(shapes[node].flags & ShapeOffset)) {
      const isa::SpecialRegister &reg = isa::specialRegisters()[shapes[node].value];
      judge(reg.gate, {Place::Operand, node}, quote(reg.name));
    }
}

void judgePresence(FormView &view) {
  for (unsigned i = 0; i < view.operands.size(); ++i) {
    const isa::OperandDecl &declared = view.operands[i];
    if (!declared.hasWith)
      continue;
    const bool wanted = view.holds(declared.with), written = view.nodeOf[i] >= 0;
    view.takeWarnings();
    if (wanted && !written) {
      const Subject subject = subjectOf(view, declared.with);
      view.report(Phase::Condition, DiagId::MissingOperand, subject.place,
                  {subject.text, std::string(declared.name)});
    } else if (!wanted && written) {
      // The word that decides whether the operand is written, if there is one.
      const auto slot = wrongSlot(view, declared.with);
      view.report(Phase::Condition, DiagId::OperandRequires,
                  slot ? view.placeOfSlot(*slot) : view.placeOfOperand(i),
                  {std::string(declared.name), describe(view, declared.with)});
    }
  }
}

} // namespace ptxray
