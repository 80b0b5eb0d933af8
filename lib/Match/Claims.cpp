// Decides for each form with some words in its slots, and open slots besides, whether its tables and conditions can be
// satisfied.
#include "Match/Claims.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace ptxray {

using isa::Cell;
using isa::CellKind;
using isa::Expr;
using isa::ExprId;
using isa::ExprOp;
using isa::Slot;
using isa::WordId;

namespace {

/// A form with some filled slots.
class OpenForm {
public:
  /// Prepares a form. Without a module, every gate is open.
  OpenForm(uint32_t index, llvm::ArrayRef<WordId> without, const Availability *module)
      : form(isa::tables().forms[index]), slots(isa::run(isa::tables().slots, form.slots)), without(without),
        module(module), word(slots.size()) {}

  bool hasWayFor(llvm::ArrayRef<WordId> words) { return place(words, 0); }

private:
  bool place(llvm::ArrayRef<WordId> words, unsigned first);
  bool canBeFilled() const;
  bool rowFits(const isa::Table &table, uint32_t row) const;
  bool cellFits(const Cell &cell, unsigned slot) const;
  std::optional<bool> isTrue(ExprId id) const;
  std::optional<bool> isLeafTrue(const Expr &e) const;
  bool isLeftOut(WordId id) const { return llvm::is_contained(without, id); }
  bool areLeftOut(llvm::ArrayRef<WordId> ids) const {
    return llvm::all_of(ids, [&](WordId id) { return isLeftOut(id); });
  }
  bool holds(const Slot &slot, WordId id) const {
    return llvm::any_of(isa::run(isa::tables().slotValues, slot.values), [&](const isa::SlotValue &value) {
      return value.word == id && (!module || (isTrue(value.gate) != false && isTrue(isa::word(id).gate) != false));
    });
  }

  const isa::Form &form;
  llvm::ArrayRef<Slot> slots;
  llvm::ArrayRef<WordId> without;
  const Availability *module;
  llvm::SmallVector<WordId, 24> word; // 0 for an open slot
};

} // namespace

/// Tries each slot for the first word. Words with a fixed order take slots one after another.
// NOLINTNEXTLINE(misc-no-recursion): as deep as a message has words
bool OpenForm::place(llvm::ArrayRef<WordId> words, unsigned first) {
  if (words.empty())
    return canBeFilled();
  const bool isOrdered = isa::word(words.front()).wordClass != isa::WordClass::Free;
  for (unsigned j = isOrdered ? first : 0; j < slots.size(); ++j) {
    if (word[j] || !holds(slots[j], words.front()))
      continue;
    word[j] = words.front();
    const bool fits = place(words.drop_front(), isOrdered ? j + 1 : first);
    word[j] = 0;
    if (fits)
      return true;
  }
  return false;
}

bool OpenForm::canBeFilled() const {
  const isa::Tables &t = isa::tables();
  for (unsigned j = 0; j < slots.size(); ++j)
    if (!word[j] && !slots[j].optional && !slots[j].suffix &&
        llvm::all_of(isa::run(t.slotValues, slots[j].values), [&](const isa::SlotValue &value) {
          return isLeftOut(value.word) || !holds(slots[j], value.word);
        }))
      return false;
  for (uint32_t index : isa::run(t.formTables, form.tables)) {
    const isa::Table &table = t.tables[index];
    bool fits = false;
    for (uint32_t row = 0; row < table.rows && !fits; ++row)
      fits = rowFits(table, row);
    if (!fits)
      return false;
  }
  return llvm::none_of(isa::run(t.formRules, form.rules), [&](uint32_t index) {
    const isa::Rule &rule = t.rules[index];
    return (!rule.when || isTrue(rule.when) == true) && isTrue(rule.require) == false;
  });
}

bool OpenForm::rowFits(const isa::Table &table, uint32_t row) const {
  const isa::Tables &t = isa::tables();
  const auto columns = isa::run(t.columns, table.columns);
  for (unsigned c = 0; c < columns.size(); ++c) {
    const auto members = isa::run(t.columnMembers, columns[c].members);
    const Cell &cell = t.cells[table.firstCell + row * columns.size() + c];
    if (columns[c].kind == isa::ColumnKind::Slot && !members.empty() && !cellFits(cell, members.front()))
      return false;
    if (columns[c].kind == isa::ColumnKind::Requires && cell.kind == CellKind::Condition && isTrue(cell.first) == false)
      return false;
  }
  return true;
}

bool OpenForm::cellFits(const Cell &cell, unsigned slot) const {
  const bool mayLack = cell.kind == CellKind::Any || cell.kind == CellKind::Absent || cell.orAbsent;
  const auto words =
      cell.kind == CellKind::Words ? isa::tables().wordLists.slice(cell.first, cell.count) : llvm::ArrayRef<WordId>();
  if (word[slot])
    return cell.kind == CellKind::Any || cell.kind == CellKind::Present || llvm::is_contained(words, word[slot]);
  return mayLack || cell.kind == CellKind::Present || slots[slot].fallback || !areLeftOut(words);
}

std::optional<bool> OpenForm::isLeafTrue(const Expr &e) const {
  auto isListed = [&](WordId id) { return llvm::is_contained(isa::tables().wordLists.slice(e.b, e.c), id); };
  switch (e.op) {
  case ExprOp::True: return true;
  case ExprOp::SlotIs:
    if (word[e.a])
      return isListed(word[e.a]);
    return std::nullopt;
  case ExprOp::SlotWritten:
    if (word[e.a] || (!slots[e.a].optional && !slots[e.a].suffix))
      return true;
    return std::nullopt;
  case ExprOp::SlotsEqual:
    if (word[e.a] && word[e.b])
      return word[e.a] == word[e.b];
    return std::nullopt;
  case ExprOp::WordWritten:
    if (llvm::any_of(word, isListed))
      return true;
    return std::nullopt;
  default: return std::nullopt;
  }
}

/// Returns nothing if the truth depends on open slots.
// NOLINTNEXTLINE(misc-no-recursion): the tables are constant: no input nests their conditions
std::optional<bool> OpenForm::isTrue(ExprId id) const {
  const isa::Tables &t = isa::tables();
  const Expr &e = t.exprs[id];
  if (!id)
    return true;
  if (e.gateOnly)
    return module ? std::optional(module->holds(id)) : std::nullopt;
  if (e.op == ExprOp::Gate)
    return isTrue(t.gates[e.a].expr);
  if (e.op == ExprOp::Not) {
    const std::optional<bool> inner = isTrue(e.a);
    return inner ? std::optional(!*inner) : inner;
  }
  if (e.op != ExprOp::And && e.op != ExprOp::Or)
    return isLeafTrue(e);
  const bool decides = e.op == ExprOp::Or;
  bool isOpen = false;
  for (ExprId part : t.exprArgs.slice(e.a, e.b)) {
    const std::optional<bool> truth = isTrue(part);
    if (truth == decides)
      return decides;
    isOpen |= !truth;
  }
  return isOpen ? std::optional<bool>() : !decides;
}

bool mayMeet(const isa::Mnemonic &mnemonic, llvm::ArrayRef<WordId> words, llvm::ArrayRef<WordId> without) {
  return llvm::any_of(isa::run(isa::tables().mnemonicForms, mnemonic.forms),
                      [&](uint32_t form) { return OpenForm(form, without, nullptr).hasWayFor(words); });
}

bool mayMeetIn(const Availability &module, const isa::Mnemonic &mnemonic, llvm::ArrayRef<WordId> words) {
  return llvm::any_of(isa::run(isa::tables().mnemonicForms, mnemonic.forms),
                      [&](uint32_t form) { return OpenForm(form, {}, &module).hasWayFor(words); });
}

} // namespace ptxray
