// The words that may follow those already written, for completion.
#include "Match/FormView.h"
#include "Match/Match.h"
#include "Match/Words.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

/// Returns whether a cell of a row allows the words in the slots. An empty slot may still take any word.
static bool cellAllows(const FormMatch &match, const isa::Column &column, const isa::Cell &cell) {
  const isa::Tables &t = isa::tables();
  if (column.kind != isa::ColumnKind::Slot)
    return true;
  for (const uint16_t slot : isa::run(t.columnMembers, column.members)) {
    const isa::WordId word = match.slotWord[slot];
    if (!word)
      continue;
    if (cell.kind == isa::CellKind::Absent)
      return false;
    if (cell.kind == isa::CellKind::Words && !llvm::is_contained(t.wordLists.slice(cell.first, cell.count), word))
      return false;
  }
  return true;
}

/// Returns whether each table has a row that allows the words in the slots.
static bool tablesAllow(const FormMatch &match) {
  const isa::Tables &t = isa::tables();
  return llvm::all_of(isa::run(t.formTables, match.form().tables), [&](uint32_t index) {
    const isa::Table &table = t.tables[index];
    const auto columns = isa::run(t.columns, table.columns);
    for (uint32_t row = 0; row < table.rows; ++row) {
      const auto cells = t.cells.slice(table.firstCell + row * columns.size(), columns.size());
      if (llvm::all_of(llvm::zip_equal(columns, cells),
                       [&](const auto &pair) { return cellAllows(match, std::get<0>(pair), std::get<1>(pair)); }))
        return true;
    }
    return false;
  });
}

/// Returns the first gate that the module does not satisfy; 0 if there is none.
static isa::ExprId failingGate(const FormMatch &match, const isa::SlotValue &value, const Availability &availability) {
  const isa::Tables &t = isa::tables();
  for (const isa::ExprId gate : {value.gate, isa::word(value.word).gate})
    if (!availability.holds(gate))
      return gate;
  for (uint32_t index : isa::run(t.formRules, match.form().rules)) {
    const isa::Rule &rule = t.rules[index];
    const bool applies = rule.when == 0 || isAllowed(match, rule.when, availability);
    if (t.exprs[rule.require].gateOnly && applies && !availability.holds(rule.require))
      return rule.require;
  }
  return 0;
}

/// Returns the slots that the next word may take, from the last written one to the first mandatory one. There are none
/// if the words are not in the order of the form.
static llvm::SmallVector<unsigned, 8> nextSlots(const FormMatch &match) {
  unsigned from = match.form().mnemonicSlots;
  for (unsigned slot = 0; slot < match.slots.size(); ++slot)
    if (match.isWritten(slot))
      from = std::max(from, slot + 1);
  llvm::SmallVector<unsigned, 8> next;
  for (unsigned slot = match.form().mnemonicSlots; slot < match.slots.size(); ++slot) {
    const isa::Slot &one = match.slots[slot];
    if (match.isWritten(slot) || one.suffix || (slot < from && one.optional))
      continue;
    if (slot < from)
      return {};
    next.push_back(slot);
    if (!one.optional)
      break;
  }
  return next;
}

std::vector<FormMatch> formsFor(const Opcode &opcode, bool complete) {
  std::vector<FormMatch> matches;
  if (!opcode.mnemonic)
    return matches;
  ModuleContext module;
  module.target = anyTarget;
  const Availability everything(module);
  const WrittenInstruction written{opcode, {}, everything};
  for (uint32_t form : isa::run(isa::tables().mnemonicForms, opcode.mnemonic->forms)) {
    FormView view(written, form);
    const Leftover leftover = matchWords(view);
    if (leftover.strays.empty() && leftover.misplaced.empty() && (!complete || leftover.missing.empty()) &&
        tablesAllow(view))
      matches.push_back(view);
  }
  return matches;
}

std::vector<NextWord> nextWords(const Opcode &opcode, const Availability &availability) {
  std::vector<NextWord> words;
  llvm::DenseMap<isa::WordId, size_t> known;
  for (FormMatch &match : formsFor(opcode, /*complete=*/false))
    for (const unsigned slot : nextSlots(match)) {
      for (const isa::SlotValue &value : isa::run(isa::tables().slotValues, match.slots[slot].values)) {
        match.slotWord[slot] = value.word;
        if (!tablesAllow(match))
          continue;
        const isa::ExprId gate = failingGate(match, value, availability);
        const auto [at, isNew] = known.try_emplace(value.word, words.size());
        if (isNew)
          words.push_back({value.word, gate, match.formIndex});
        else if (!gate)
          words[at->second].lacking = 0;
      }
      match.slotWord[slot] = 0;
    }
  return words;
}

} // namespace ptxray
