// Answers queries on a match from the words in its slots and from the tables.
#include "Match/FormMatch.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cassert>

namespace ptxray {

FormMatch::FormMatch(uint32_t index)
    : formIndex(index), slots(isa::run(isa::tables().slots, form().slots)),
      operands(isa::run(isa::tables().operands, form().operands)) {
  slotWord.assign(slots.size(), 0);
  slotAt.assign(slots.size(), 0);
  nodeOf.assign(operands.size(), -1);
  rowOf.assign(form().tables.count, -1);
}

FindingPlace FormMatch::placeOfSlot(unsigned slot) const {
  if (!slotWord[slot])
    return {FindingPlace::Opcode, 0};
  if (slotAt[slot] < 0)
    return FindingPlace::at(FindingPlace::Suffix, -1 - slotAt[slot]);
  return FindingPlace::at(FindingPlace::Word, slotAt[slot]);
}

FindingPlace FormMatch::placeOfOperand(unsigned index) const {
  if (nodeOf[index] < 0)
    return {FindingPlace::Opcode, 0};
  return FindingPlace::at(FindingPlace::Operand, nodeOf[index]);
}

std::optional<unsigned> FormMatch::findOperand(llvm::StringRef name) const {
  for (unsigned i = 0; i < operands.size(); ++i)
    if (name == llvm::StringRef(operands[i].name()))
      return i;
  return std::nullopt;
}

bool FormMatch::isWritten(llvm::StringRef operand) const {
  auto index = findOperand(operand);
  return index && nodeOf[*index] >= 0;
}

FindingPlace FormMatch::placeOfOperand(llvm::StringRef name) const {
  auto index = findOperand(name);
  return index ? placeOfOperand(*index) : FindingPlace{FindingPlace::Opcode, 0};
}

std::optional<unsigned> FormMatch::findSlot(llvm::StringRef name) const {
  for (unsigned i = 0; i < slots.size(); ++i)
    if (name == llvm::StringRef(slots[i].name()))
      return i;
  return std::nullopt;
}

isa::WordId FormMatch::wordOf(llvm::StringRef slot) const {
  const std::optional<unsigned> index = findSlot(slot);
  return index ? word(*index) : isa::WordId(0);
}

bool FormMatch::mayNegate(unsigned operand) const {
  return llvm::any_of(isa::run(isa::tables().patterns, form().patterns), [&](const isa::Pattern &p) {
    return p.kind == isa::PatternKind::Operand && p.operand == operand && p.mayNegate;
  });
}

TypeView FormMatch::typeOf(unsigned operand) const {
  assert(operand < operands.size() && "the operand is one of this form");
  const isa::OperandDecl &declared = operands[operand];
  TypeView type;
  if (declared.type.kind == isa::RefKind::Word)
    type = viewType(declared.type.index);
  else if (declared.type.kind == isa::RefKind::Slot)
    type = viewType(word(declared.type.index));
  if (type && (declared.rules & isa::Fragment))
    type = fragmentType(type);
  assert(declared.type.divisor && "a type is divided by 1, if by nothing else");
  type.bits = type.bits * declared.type.factor / declared.type.divisor;
  return type;
}

/// Returns the number after a letter, such as 8 after `n` in `.m64n8k16`.
static int64_t numberBehind(llvm::StringRef text, char letter) {
  for (size_t i = 0; i + 1 < text.size(); ++i)
    if (text[i] == letter && llvm::isDigit(text[i + 1])) {
      unsigned long long number = 0;
      llvm::StringRef rest = text.drop_front(i + 1);
      rest.consumeInteger(10, number);
      return number;
    }
  return 0;
}

std::optional<int64_t> FormMatch::value(const isa::Term &term) const {
  int64_t number = term.base;
  if (term.slot >= 0) {
    if (!word(term.slot))
      return std::nullopt;
    const isa::Word &written = isa::word(word(term.slot));
    number = term.letter ? numberBehind(written.text(), term.letter) : written.number;
  }
  assert(term.div && "a term is divided by 1, if by nothing else");
  return number * term.mul / term.div + term.add;
}

/// Returns the cell of the chosen rows that determines the length or the values of an operand.
static const isa::Cell *cellOf(const FormMatch &match, isa::CellKind kind, unsigned operand) {
  const isa::Tables &t = isa::tables();
  const isa::Cell *found = nullptr; // the last match is used
  for (const auto &[index, row] : llvm::zip_equal(isa::run(t.formTables, match.form().tables), match.rowOf)) {
    if (row < 0)
      continue;
    const isa::Table &table = t.tables[index];
    assert(static_cast<uint32_t>(row) < table.rows && "the row is one of this table");
    const auto columns = isa::run(t.columns, table.columns);
    const auto cells = t.cells.slice(table.firstCell + row * columns.size(), columns.size());
    for (const auto &[column, cell] : llvm::zip_equal(columns, cells))
      if (cell.kind == kind && llvm::is_contained(isa::run(t.columnMembers, column.members), operand))
        found = &cell;
  }
  return found;
}

llvm::ArrayRef<isa::Term> FormMatch::lengths(unsigned operand) const {
  const isa::Tables &t = isa::tables();
  const isa::Cell *cell = cellOf(*this, isa::CellKind::Lengths, operand);
  return cell ? t.terms.slice(cell->first, cell->count) : isa::run(t.terms, operands[operand].lengths);
}

llvm::ArrayRef<isa::ValueRange> FormMatch::ranges(unsigned operand) const {
  const isa::Tables &t = isa::tables();
  const isa::Cell *cell = cellOf(*this, isa::CellKind::Ranges, operand);
  return cell ? t.ranges.slice(cell->first, cell->count) : isa::run(t.ranges, operands[operand].ranges);
}

} // namespace ptxray
