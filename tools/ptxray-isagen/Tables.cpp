// Reduces the tables of an entry to what one form needs, without columns that it lacks and rows that cannot match.
#include "Resolver.h"

namespace ptxray::isagen {

struct FormColumn {
  const Column &written;
  const size_t index;                  // index in the table
  const std::vector<uint16_t> members; // slots or operands of the form
  const std::string constant;          // if the form lacks the slot, the word that it has by default
  const bool isDecided;                // the result is the same for every text of the form
};

struct FormRow {
  const Table::Row &written;
  std::vector<isa::Cell> cells; // cells of the undecided columns
  bool fits = true;
};

static constexpr isa::Cell anyCell = {isa::CellKind::Any, false, 0, 0};

static isa::Cell cellOf(isa::CellKind kind) { return {kind, false, 0, 0}; }

static isa::Cell cellOf(isa::CellKind kind, isa::Span run, bool orAbsent = false) {
  return {kind, orAbsent, run.first, narrow<uint16_t>(run.count)};
}

// ---------------------------------------------------------------------------------------- columns

std::optional<FormColumn> Resolver::slotColumn(const Table &table, size_t index) {
  const Column &column = table.columns[index];
  const int slot = context->slot(column.names[0]);
  const std::string constant = slot < 0 ? context->fallback(column.names[0]) : "";
  const bool isKnown = slot >= 0 || !constant.empty();
  usage.columns[{&table, column.text}] |= isKnown;
  if (!isKnown)
    return {};
  if (slot < 0)
    return FormColumn{column, index, {}, constant, true};
  return FormColumn{column, index, {narrow<uint16_t>(slot)}, "", false};
}

FormColumn Resolver::operandColumn(const Table &table, size_t index) {
  const Column &column = table.columns[index];
  const int operand = context->operand(column.names[0]);
  usage.columns[{&table, column.text}] |= operand >= 0;
  if (operand < 0)
    return {column, index, {}, "", true};
  return {column, index, {narrow<uint16_t>(operand)}, "", context->operands[operand].required};
}

std::optional<FormColumn> Resolver::columnOfSeveral(const Table &table, size_t index) {
  const Column &column = table.columns[index];
  std::vector<uint16_t> members;
  for (const std::string &name : column.names) {
    const int operand = context->operand(name);
    usage.columns[{&table, name + " in " + column.text}] |= operand >= 0;
    if (operand >= 0)
      members.push_back(narrow<uint16_t>(operand));
  }
  if (members.empty())
    return {};
  return FormColumn{column, index, members, "", false};
}

/// Resolves a column for the form. Returns nothing if the form lacks the slot or operand that the column tests.
std::optional<FormColumn> Resolver::formColumn(const Table &table, size_t index) {
  switch (table.columns[index].kind) {
  case isa::ColumnKind::Slot: return slotColumn(table, index);
  case isa::ColumnKind::Operand: return operandColumn(table, index);
  case isa::ColumnKind::Length:
  case isa::ColumnKind::Values: return columnOfSeveral(table, index);
  case isa::ColumnKind::Requires: break;
  }
  return FormColumn{table.columns[index], index, {}, "", false};
}

// ---- cells: functions return none if no text of the form matches the cell

void Resolver::misplaced(const Cell &cell, const FormColumn &column) {
  errors.report(cell.place, "cell", "`" + cell.text + "` is not a cell of `" + column.written.text + "`");
}

bool Resolver::cellHolds(const Cell &cell, const Scope &scope, const std::string &word) {
  bool holds = cell.any;
  for (const std::string &name : cell.names)
    holds |= wordsOf(&scope, name, cell.place).count(word) > 0;
  return holds;
}

std::optional<isa::Cell> Resolver::cellOfWords(const Cell &cell, const Scope &scope, const FormSlot &slot) {
  if (cell.any)
    return anyCell;
  std::set<std::string> held;
  for (const std::string &name : cell.names) {
    const std::set<std::string> words = wordsOf(&scope, name, cell.place);
    bool fits = false;
    for (const Value &value : slot.values)
      if (words.count(value.word)) {
        held.insert(value.word);
        fits = true;
      }
    usage.cellWords[{&cell, name}] |= fits;
  }
  const bool orAbsent = cell.absent && slot.optional;
  if (held.empty())
    return orAbsent ? std::optional(cellOf(isa::CellKind::Absent)) : std::nullopt;
  if (held.size() == slot.values.size() && (orAbsent || !slot.optional))
    return anyCell;
  return cellOf(isa::CellKind::Words, wordRun(held), orAbsent);
}

std::optional<isa::Cell> Resolver::slotCell(const FormColumn &column, const Cell &cell, const Scope &scope) {
  if (cell.names.empty() && !(cell.terms.empty() && cell.ranges.empty())) {
    misplaced(cell, column);
    return anyCell;
  }
  if (column.constant.empty())
    return cellOfWords(cell, scope, context->slots[column.members[0]]);
  return cellHolds(cell, scope, column.constant) ? std::optional(anyCell) : std::nullopt;
}

std::optional<isa::Cell> Resolver::operandCell(const FormColumn &column, const Cell &cell) {
  const bool isPresent = cell.names == std::vector<std::string>{"x"};
  if (isPresent + cell.any + cell.absent != 1 || !cell.terms.empty())
    misplaced(cell, column);
  if (cell.any)
    return anyCell;
  if (!column.isDecided)
    return cellOf(isPresent ? isa::CellKind::Present : isa::CellKind::Absent);
  return isPresent != column.members.empty() ? std::optional(anyCell) : std::nullopt;
}

isa::Cell Resolver::lengthCell(const FormColumn &column, const Cell &cell, bool rowFits) {
  if (cell.any || cell.absent)
    return cell.absent ? cellOf(isa::CellKind::Absent) : anyCell;
  std::vector<isa::Term> terms;
  for (const Term &term : cell.terms) {
    isa::Term resolved;
    if (resolveTerm(term, resolved))
      terms.push_back(resolved);
    else if (rowFits)
      errors.report(cell.place, "length", "`" + term.word + "` is not a slot of `" + context->form->text + "`");
  }
  if (cell.terms.empty())
    misplaced(cell, column);
  return cellOf(isa::CellKind::Lengths, intern(output.terms, terms));
}

isa::Cell Resolver::valuesCell(const FormColumn &column, const Cell &cell) {
  if (cell.any || cell.absent)
    return anyCell;
  if (cell.ranges.empty())
    misplaced(cell, column);
  context->readsValues = true;
  return cellOf(isa::CellKind::Ranges, intern(output.ranges, cell.ranges));
}

std::optional<isa::Cell> Resolver::conditionCell(const Cell &cell, const Scope &scope) {
  const ExprId gate = cell.condition ? condition(*cell.condition, scope) : True;
  if (gate == False)
    return {};
  return gate == True ? anyCell : isa::Cell{isa::CellKind::Condition, false, gate, 0};
}

void Resolver::addCell(const FormColumn &column, const Scope &scope, FormRow &row) {
  const Cell &written = row.written.cells[column.index];
  std::optional<isa::Cell> cell = anyCell;
  switch (column.written.kind) {
  case isa::ColumnKind::Slot: cell = slotCell(column, written, scope); break;
  case isa::ColumnKind::Operand: cell = operandCell(column, written); break;
  case isa::ColumnKind::Length: cell = lengthCell(column, written, row.fits); break;
  case isa::ColumnKind::Values: cell = valuesCell(column, written); break;
  case isa::ColumnKind::Requires:
    if (row.fits)
      cell = conditionCell(written, scope);
    break;
  }
  row.fits &= cell.has_value();
  if (!column.isDecided)
    row.cells.push_back(cell.value_or(anyCell));
}

// ------------------------------------------------------------------------------------------ tables

/// Records for the lints which rows match, and which words of the slot occur in one of them.
void Resolver::noteUse(const std::vector<FormColumn> &slotColumns, const std::vector<FormRow> &rows,
                       const Scope &scope) {
  for (const FormRow &row : rows)
    usage.rows[&row.written] |= row.fits;
  for (const FormColumn &column : slotColumns) {
    const FormSlot &slot = context->slots[column.members[0]];
    std::set<std::string> inRows;
    bool isAny = false;
    for (const FormRow &row : rows) {
      if (!row.fits)
        continue;
      const Cell &cell = row.written.cells[column.index];
      isAny |= cell.any;
      for (const std::string &name : cell.names)
        inRows.merge(wordsOf(&scope, name, cell.place));
    }
    if (slot.set)
      for (const Value &value : slot.values)
        usage.slotValues[{{slot.set->place.file, slot.set->place.line}, value.word}] |=
            isAny || inRows.count(value.word);
  }
}

static bool isUnconditional(const FormRow &row) {
  return std::all_of(row.cells.begin(), row.cells.end(),
                     [](const isa::Cell &cell) { return cell.kind == isa::CellKind::Any; });
}

/// Returns the rows that match, without duplicates.
static std::vector<FormRow> fittingRows(std::vector<FormRow> rows) {
  std::set<std::string> seen;
  std::vector<FormRow> fitting;
  for (FormRow &row : rows) {
    std::ostringstream key;
    for (const isa::Cell &cell : row.cells)
      write(key, cell);
    if (row.fits && seen.insert(key.str()).second)
      fitting.push_back(std::move(row));
  }
  return fitting;
}

uint32_t Resolver::addTable(const Table &table, const std::vector<isa::Column> &columns,
                            const std::vector<FormRow> &rows) {
  std::vector<isa::Cell> cells;
  std::vector<uint32_t> lines;
  for (const FormRow &row : rows) {
    cells.insert(cells.end(), row.cells.begin(), row.cells.end());
    lines.push_back(row.written.place.line);
  }
  isa::Table result;
  result.columns = intern(output.columns, columns);
  result.firstCell = intern(output.cells, cells).first;
  result.rows = static_cast<uint32_t>(rows.size());
  result.line = table.place.line;
  result.firstRowLine = intern(output.rowLines, lines).first;
  return internOne(output.tables, result);
}

/// Resolves a table. Returns nothing if the form satisfies it whatever the text is.
std::optional<uint32_t> Resolver::table(const Table &table, const Scope &scope) {
  std::vector<FormRow> rows;
  for (const Table::Row &row : table.rows)
    rows.push_back({row, {}});
  std::vector<FormColumn> slotColumns;
  std::vector<isa::Column> undecided;
  for (size_t index = 0; index < table.columns.size(); ++index) {
    const std::optional<FormColumn> column = formColumn(table, index);
    if (!column)
      continue;
    const isa::Span members = intern(output.columnMembers, column->members);
    if (!column->isDecided)
      undecided.push_back({column->written.kind, text(column->written.text), members});
    if (column->written.kind == isa::ColumnKind::Slot && !column->isDecided)
      slotColumns.push_back(*column);
    for (FormRow &row : rows)
      addCell(*column, scope, row);
  }
  noteUse(slotColumns, rows, scope);
  const std::vector<FormRow> fitting = fittingRows(std::move(rows));
  if (fitting.empty())
    errors.report(table.place, "dead-form",
                  "no row fits `" + context->form->text + "` (line " + std::to_string(context->form->place.line) + ")");
  if (fitting.empty() || std::any_of(fitting.begin(), fitting.end(), isUnconditional))
    return {};
  return addTable(table, undecided, fitting);
}

} // namespace ptxray::isagen
