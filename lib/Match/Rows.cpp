// Matches tables: finds whether a row fits, and otherwise the nearest row.
#include "Match/Rows.h"
#include "Match/Explain.h"
#include "Match/Wording.h"
#include "Match/Words.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <tuple>

namespace ptxray {

using isa::Cell;
using isa::CellKind;
using isa::Column;
using isa::ColumnKind;
using isa::WordId;

namespace {

struct RowFit {
  uint32_t row;
  llvm::SmallVector<uint16_t, 4> missed; // columns of slots and operands that do not match
  llvm::SmallVector<std::pair<uint16_t, uint16_t>, 2> badLength, badValue; // operand and column
  bool badCondition = false;
  bool warns = false;

  bool fits() const { return missed.empty() && badLength.empty() && badValue.empty() && !badCondition; }
  /// Returns a key that orders rows by nearness: the longest run of matching columns, then the fewest mismatches.
  auto distance() const {
    return std::tuple(missed.empty() ? 0 : 0x10000 - missed.front(), missed.size(), badLength.size() + badValue.size(),
                      badCondition, warns);
  }
};

class TableView {
public:
  TableView(const FormView &view, const isa::Table &table)
      : view(view), table(table), columns(isa::run(isa::tables().columns, table.columns)) {}

  const Cell &cell(uint32_t row, unsigned column) const {
    return isa::tables().cells[table.firstCell + row * columns.size() + column];
  }
  llvm::ArrayRef<uint16_t> members(unsigned column) const {
    return isa::run(isa::tables().columnMembers, columns[column].members);
  }
  uint32_t line(uint32_t row) const { return isa::tables().rowLines[table.firstRowLine + row]; }

  RowFit fit(uint32_t row) const;
  const FormView &view;
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
  int64_t length = shape.vector ? shape.vector : 1; // a register of vector type counts as a whole
  if (isVector) {
    length = 0;
    const auto &shapes = view.written.shapes;
    const unsigned first = view.nodeOf[operand];
    for (unsigned n = first + 1; n < first + shape.extent; n += shapes[n].extent)
      ++length;
  }
  return llvm::any_of(terms, [&](const isa::Term &term) { return view.value(term).value_or(1) == length; });
}

RowFit TableView::fit(uint32_t row) const {
  const isa::Tables &t = isa::tables();
  RowFit result{row, {}, {}, {}};
  for (unsigned c = 0; c < columns.size(); ++c) {
    const Cell &cell = this->cell(row, c);
    if (cell.kind == CellKind::Any || columns[c].kind == ColumnKind::Requires)
      continue;
    if (columns[c].kind == ColumnKind::Slot) {
      if (members(c).empty())
        continue; // the column is about a slot that this form lacks
      const WordId word = view.word(members(c).front());
      const bool fits = !word ? cell.kind == CellKind::Absent || cell.orAbsent
                              : cell.kind == CellKind::Present ||
                                    (cell.kind == CellKind::Words &&
                                     llvm::is_contained(t.wordLists.slice(cell.first, cell.count), word));
      if (!fits)
        result.missed.push_back(narrow<uint16_t>(c));
      continue;
    }
    if (columns[c].kind == ColumnKind::Operand) {
      const bool written = llvm::any_of(members(c), [&](uint16_t operand) { return view.nodeOf[operand] >= 0; });
      if (written != (cell.kind == CellKind::Present))
        result.missed.push_back(narrow<uint16_t>(c));
      continue;
    }
    for (uint16_t operand : members(c)) {
      if (view.nodeOf[operand] < 0)
        continue;
      const Shape &shape = *view.operand(operand);
      const bool isNoVector = columns[c].kind == ColumnKind::Length && cell.kind == CellKind::Absent;
      if ((isNoVector && shape.kind == ShapeKind::Vector) ||
          (cell.kind == CellKind::Lengths && !lengthFits(view, operand, t.terms.slice(cell.first, cell.count))))
        result.badLength.push_back({operand, narrow<uint16_t>(c)});
      if (cell.kind == CellKind::Ranges && isNumber(shape) &&
          llvm::none_of(t.ranges.slice(cell.first, cell.count),
                        [&](const isa::ValueRange &r) { return inRange(r, shape.value); }))
        result.badValue.push_back({operand, narrow<uint16_t>(c)});
    }
  }
  if (!result.missed.empty())
    return result;
  for (unsigned c = 0; c < columns.size(); ++c)
    if (columns[c].kind == ColumnKind::Requires && cell(row, c).kind == CellKind::Condition) {
      const Truth truth = evaluate(view, cell(row, c).first);
      result.badCondition = !truth.holds;
      result.warns = !truth.warnings.empty();
    }
  return result;
}

/// Returns the word of the first column, which users usually choose first, so that the missing part must match it.
static Subject contextOf(const TableView &rows, unsigned column) {
  const FormView &view = rows.view;
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
  subject.text = quote(view.written.opcode.mnemonic->text());
  return subject;
}

/// Returns the word that determines the number of elements, such as `.x4`. If there is none, returns the word that
/// users usually choose first.
static std::string countingWord(const TableView &rows) {
  for (unsigned c = 0; c < rows.columns.size(); ++c)
    if (rows.columns[c].kind == ColumnKind::Slot && !rows.members(c).empty())
      if (const WordId word = rows.view.slotWord[rows.members(c).front()];
          kindOf(word) == Kind::Count || kindOf(word) == Kind::VectorWidth)
        return quote(isa::word(word).text());
  return contextOf(rows, rows.columns.size()).text;
}

static void reportMissedColumn(const TableView &rows, unsigned c, llvm::ArrayRef<RowFit> nearest,
                               Judgement &judgement) {
  const FormView &view = rows.view;
  const isa::Tables &t = isa::tables();
  const Subject context = contextOf(rows, c);
  const uint32_t line = rows.line(nearest.front().row);
  if (rows.columns[c].kind == ColumnKind::Operand) {
    if (rows.cell(nearest.front().row, c).kind == CellKind::Present) {
      reportAbsent(view, rows.members(c).front(), context, judgement).line = line;
      return;
    }
    for (uint16_t operand : rows.members(c))
      if (view.nodeOf[operand] >= 0) {
        Finding &f = judgement.report(Phase::Condition, DiagId::ExtraOperand, view.placeOfOperand(operand), textThere,
                                      context.text);
        f.line = line;
      }
    return;
  }

  const unsigned slot = rows.members(c).front();
  llvm::SmallVector<WordId, 8> allowed; // words of all rows that are equally near
  bool orAbsent = false;
  for (const RowFit &fit : nearest) {
    const Cell &cell = rows.cell(fit.row, c);
    orAbsent |= cell.kind == CellKind::Absent || cell.orAbsent;
    if (cell.kind == CellKind::Words)
      for (WordId word : t.wordLists.slice(cell.first, cell.count))
        if (!llvm::is_contained(allowed, word))
          allowed.push_back(word);
  }
  if (!view.isWritten(slot)) {
    // The missing part follows from several words.
    const Subject whole{{FindingPlace::Opcode, 0}, quote(view.written.opcode.spelling), true};
    return reportRequired(view, slot, allowed, view.written.opcode.words.size() > 5 ? context : whole, line, judgement);
  }
  const WordId word = view.slotWord[slot];
  const FindingPlace place = view.placeOfSlot(slot);
  if (allowed.empty()) {
    Finding &f = judgement.report(Phase::Condition, DiagId::QualifierNotAllowed, bothWords(context.place, place),
                                  isa::word(word).text(), context.text);
    f.line = line;
    if (place.kind == FindingPlace::Word)
      f.remedy = {Remedy::RemoveWord, place.index, ""};
    return;
  }
  Finding &f = reportCombination(view, context, bothWords(context.place, place), word, judgement);
  f.line = line;
  f.expected.append(allowed.begin(), allowed.end());
  if (!orAbsent && place.kind == FindingPlace::Word)
    f.remedy = {Remedy::ReplaceWord, place.index, ""};
}

static std::string lengthsText(const FormView &view, llvm::ArrayRef<isa::Term> terms) {
  llvm::SmallVector<std::string, 4> parts;
  for (const isa::Term &term : terms)
    parts.push_back(std::to_string(view.value(term).value_or(1)));
  return listText(parts, "or");
}

/// Returns the word that determines the length of an operand, as text. If none is written, returns the missing word
/// that would fit the operand.
static std::string causeOfLength(const FormView &view, unsigned operand, llvm::ArrayRef<isa::Term> terms,
                                 unsigned length, Remedy &remedy) {
  const std::string instruction(view.written.opcode.mnemonic->text());
  for (const isa::Term &term : terms) {
    if (term.slot < 0)
      continue;
    if (const WordId word = view.word(term.slot))
      return quote(isa::word(word).text());
    for (const WordId word : wordsOf(view.slots[term.slot]))
      if (isa::word(word).number == static_cast<int>(length)) {
        const std::string text(isa::word(word).text());
        remedy = {Remedy::InsertAfterWord, wordBefore(view, term.slot), text};
        return quote(instruction) + " without " + quote(text);
      }
  }
  // The two parts of the held type.
  const isa::TypeRef &type = view.operands[operand].type;
  if (type.kind == isa::RefKind::Slot && type.divisor > 1 && view.word(type.index))
    return quote(isa::word(view.word(type.index)).text());
  return quote(instruction);
}

void reportLength(const FormView &view, unsigned operand, llvm::ArrayRef<isa::Term> terms, uint32_t line,
                  Judgement &judgement, const std::string &cause) {
  const Shape &shape = *view.operand(operand);
  const FindingPlace place = view.placeOfOperand(operand);
  const std::string wanted = lengthsText(view, terms);
  if (shape.kind != ShapeKind::Vector) {
    Finding &f = judgement.report(Phase::Type, DiagId::VectorExpected, place, textThere, wanted);
    f.line = line;
    return;
  }
  unsigned length = 0;
  const auto &shapes = view.written.shapes;
  const unsigned first = view.nodeOf[operand];
  for (unsigned n = first + 1; n < first + shape.extent; n += shapes[n].extent)
    ++length;
  Remedy remedy;
  const std::string because = cause.empty() ? causeOfLength(view, operand, terms, length, remedy) : cause;
  Finding &f = judgement.report(Phase::Type, DiagId::VectorLength, place, textThere, length, because, wanted);
  f.line = line;
  f.remedy = remedy;
}

/// Returns the word with a gate that distinguishes a row from those that the module may use.
static Subject gatedWord(const TableView &rows, llvm::ArrayRef<RowFit> fits, uint32_t row) {
  const FormView &view = rows.view;
  const RowFit *other = nullptr;
  for (const RowFit &fit : fits) {
    bool usable = fit.row != row && !fit.missed.empty();
    for (unsigned c = 0; usable && c < rows.columns.size(); ++c)
      if (rows.columns[c].kind == ColumnKind::Requires && rows.cell(fit.row, c).kind == CellKind::Condition)
        usable = holds(view, rows.cell(fit.row, c).first);
    if (usable && (!other || fit.distance() < other->distance()))
      other = &fit;
  }
  Subject subject;
  auto take = [&](unsigned c) {
    if (rows.columns[c].kind != ColumnKind::Slot || rows.members(c).empty() || !view.isWritten(rows.members(c).front()))
      return false;
    subject.place = view.placeOfSlot(rows.members(c).front());
    subject.text = textAt(view, subject.place);
    subject.found = true;
    return true;
  };
  // Name both words if they determine the vector together: `.v4.f64`.
  std::string both;
  unsigned slots = 0;
  for (unsigned c = 0; c < rows.columns.size(); ++c)
    if (rows.columns[c].kind == ColumnKind::Slot && !rows.members(c).empty()) {
      ++slots;
      if (rows.cell(row, c).kind == CellKind::Words && view.isWritten(rows.members(c).front()))
        both += isa::word(view.slotWord[rows.members(c).front()]).text();
    }
  if (other)
    for (unsigned c : other->missed)
      if (take(c)) {
        if (slots == 2)
          subject.text = quote(both);
        return subject;
      }
  for (unsigned c = 0; c < rows.columns.size(); ++c)
    if (take(c))
      return subject;
  subject.text = quote(view.written.opcode.mnemonic->text());
  return subject;
}

/// Returns the first row that fits, preferably one without a warning, or -1.
static int32_t chooseRow(const TableView &rows) {
  int32_t warned = -1;
  for (uint32_t row = 0; row < rows.table.rows; ++row) {
    const RowFit fit = rows.fit(row);
    if (fit.fits() && !fit.warns)
      return narrow<int32_t>(row);
    if (fit.fits() && warned < 0)
      warned = narrow<int32_t>(row);
  }
  return warned;
}

/// Reports the warnings of the chosen row.
static void reportRow(const TableView &rows, uint32_t row, Judgement &judgement) {
  for (unsigned c = 0; c < rows.columns.size(); ++c) {
    const Cell &cell = rows.cell(row, c);
    if (rows.columns[c].kind != ColumnKind::Requires || cell.kind != CellKind::Condition)
      continue;
    if (const Truth truth = evaluate(rows.view, cell.first); !truth.warnings.empty())
      reportWarnings(rows.view, truth, contextOf(rows, rows.columns.size()), rows.line(row), false, judgement);
  }
}

/// Reports that no row fits. The nearest row shows what is missing. Rows that are equally near give alternatives.
static void reportNoRow(const TableView &rows, Judgement &judgement) {
  const isa::Tables &t = isa::tables();
  const FormView &view = rows.view;
  llvm::SmallVector<RowFit, 16> fits;
  for (uint32_t row = 0; row < rows.table.rows; ++row)
    fits.push_back(rows.fit(row));
  if (fits.empty())
    return;
  const RowFit &best = *std::min_element(fits.begin(), fits.end(),
                                         [](const RowFit &a, const RowFit &b) { return a.distance() < b.distance(); });
  if (!best.missed.empty()) {
    llvm::SmallVector<RowFit, 4> nearest;
    for (const RowFit &fit : fits)
      if (fit.missed == best.missed)
        nearest.push_back(fit);
    for (uint16_t c : best.missed)
      reportMissedColumn(rows, c, nearest, judgement);
    return;
  }
  for (auto [operand, column] : best.badLength) {
    const Cell &cell = rows.cell(best.row, column);
    if (cell.kind == CellKind::Lengths) // otherwise a vector is not allowed, which is found without the table
      reportLength(view, operand, t.terms.slice(cell.first, cell.count), rows.line(best.row), judgement,
                   countingWord(rows));
  }
  for (auto [operand, column] : best.badValue) {
    const Cell &cell = rows.cell(best.row, column);
    reportRange(Phase::Condition, view.placeOfOperand(operand), t.ranges.slice(cell.first, cell.count),
                view.operand(operand)->value, judgement)
        .line = rows.line(best.row);
  }
  if (best.badCondition && best.badLength.empty() && best.badValue.empty())
    for (unsigned c = 0; c < rows.columns.size(); ++c)
      if (rows.columns[c].kind == ColumnKind::Requires)
        explainFailure(view, rows.cell(best.row, c).first, gatedWord(rows, fits, best.row), rows.line(best.row),
                       judgement);
}

void judgeTables(FormView &view, Judgement &judgement) {
  const isa::Tables &t = isa::tables();
  for (const auto &[table, row] : llvm::zip_equal(isa::run(t.formTables, view.form().tables), view.rowOf)) {
    const TableView rows(view, t.tables[table]);
    row = chooseRow(rows);
    if (row >= 0)
      reportRow(rows, row, judgement);
    else
      reportNoRow(rows, judgement);
  }
}

} // namespace ptxray
