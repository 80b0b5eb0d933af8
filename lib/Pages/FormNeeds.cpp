#include "Pages/FormNeeds.h"
#include "Pages/ConditionText.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

using isa::ExprId;
using Ways = std::vector<Demands::Gates>;

Availability newestAvailability() {
  ModuleContext module;
  module.ptx = isa::versions().back();
  module.target = anyTarget;
  return Availability(module);
}

/// Adds a condition if it is a gate, or the gates among its parts.
static void addGates(ExprId condition, Demands::Gates &gates) {
  const isa::Expr &e = isa::tables().exprs[condition];
  if (condition && e.gateOnly)
    gates.push_back(condition);
  else if (e.op == isa::ExprOp::And)
    llvm::copy_if(isa::tables().exprArgs.slice(e.a, e.b), std::back_inserter(gates),
                  [](ExprId part) { return isa::tables().exprs[part].gateOnly; });
}

/// Adds a choice, unless one of its alternatives is always available.
static void addChoice(Ways ways, Demands &demands) {
  if (!ways.empty() && llvm::none_of(ways, [](const Demands::Gates &gates) { return gates.empty(); }))
    demands.choices.push_back(std::move(ways));
}

static void addWord(const isa::Slot &slot, isa::WordId word, Demands::Gates &gates) {
  addGates(isa::word(word).gate, gates);
  for (const isa::SlotValue &value : isa::run(isa::tables().slotValues, slot.values))
    if (value.word == word)
      addGates(value.gate, gates);
}

static Ways waysOf(const isa::Slot &slot) {
  Ways ways;
  for (const isa::SlotValue &value : isa::run(isa::tables().slotValues, slot.values))
    if (!isOfPtxasAlone(value.gate))
      addWord(slot, value.word, ways.emplace_back());
  return ways;
}

/// Returns the gates of one row, or nothing if only ptxas accepts it.
static std::optional<Demands::Gates> gatesOfRow(const isa::Table &table, uint32_t row, const isa::Form &form) {
  const auto columns = isa::run(isa::tables().columns, table.columns);
  const auto slots = isa::run(isa::tables().slots, form.slots);
  Demands::Gates gates;
  for (size_t c = 0; c < columns.size(); ++c) {
    const isa::Cell &cell = isa::tables().cells[table.firstCell + row * columns.size() + c];
    if (cell.kind == isa::CellKind::Condition && isOfPtxasAlone(cell.first))
      return std::nullopt;
    if (cell.kind == isa::CellKind::Condition)
      addGates(cell.first, gates);
    if (cell.kind != isa::CellKind::Words || cell.count != 1 || cell.orAbsent)
      continue;
    for (const isa::Slot &slot : slots)
      if (slot.name() == columns[c].text())
        addWord(slot, isa::tables().wordLists[cell.first], gates);
  }
  return gates;
}

Demands demandsOf(const isa::Form &form) {
  Demands demands;
  const auto own = gatesOf(form);
  demands.all.assign(own.begin(), own.end());
  for (const isa::Slot &slot : isa::run(isa::tables().slots, form.slots))
    if (!slot.optional)
      addChoice(waysOf(slot), demands);
  for (const uint32_t index : isa::run(isa::tables().formTables, form.tables)) {
    const isa::Table &table = isa::tables().tables[index];
    Ways ways;
    for (uint32_t row = 0; row < table.rows; ++row)
      if (std::optional<Demands::Gates> gates = gatesOfRow(table, row, form))
        ways.push_back(std::move(*gates));
    addChoice(std::move(ways), demands);
  }
  return demands;
}

} // namespace ptxray
