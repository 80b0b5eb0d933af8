// codegen-abi-preserve of prototypes; and what the table of a branch holds.
#include "Flow/BodyRules.h"
#include "Flow/Values.h"
#include "Module/ProgramRules.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

/// A list may name a label more than once, and with `label<4>` four labels at once.
static uint64_t targetCount(const Body &body, LocalId list) {
  uint64_t count = 0;
  for (const PlacedDirective &placed : body.directives)
    if (const Directive &directive = body.ast->directives[placed.index]; directive.label == body.nameOf(list))
      for (const Operand &target : body.ast->operandsOf(directive.operands))
        count += target.flags & HasOffset ? static_cast<uint64_t>(target.value) : 1;
  return count;
}

/// Whether the branch has a register for its index that holds more than one number.
static bool hasIndex(const Body &body, uint32_t number, const Definitions &definitions) {
  Values values(body, definitions);
  bool isOpen = false;
  body.eachUse(number,
               [&](NamedUse use) { isOpen |= use.uses & Reads && !values.numberOf(sourceOf(use.operand, use.local)); });
  return isOpen;
}

BranchTable branchTable(const Body &body, uint32_t number, const Definitions &definitions, uint64_t most) {
  BranchTable table;
  body.eachUse(number, [&](NamedUse use) {
    const Symbol *list = use.uses & Targets ? body.symbol(use.local) : nullptr;
    if (!list || list->kind != SymbolKind::BranchTargets)
      return;
    const uint64_t count = targetCount(body, use.local);
    if (count > most && hasIndex(body, number, definitions))
      table = {count, use.operand.range, list->nameRange, body.nameOf(use.local)};
  });
  return table;
}

static void checkCall(const Body &body, uint32_t number, const BodyContext &context) {
  body.eachUse(number, [&](NamedUse use) {
    const Symbol *prototype = use.uses & Targets ? body.symbol(use.local) : nullptr;
    if (prototype && prototype->kind == SymbolKind::Prototype)
      checkPreserved(*body.ast, body.ast->functions[prototype->index].directives,
                     context.module.limitOfCode(isa::LimitId::PreservedByCallee), context.sink);
  });
}

void checkCallTables(const Body &body, const BodyContext &context) {
  for (const uint32_t number : body.notable)
    if (const Facts &facts = body.facts(number); facts.has(isa::FactKind::Calls) && facts.uses & Targets)
      checkCall(body, number, context);
}

} // namespace ptxray
