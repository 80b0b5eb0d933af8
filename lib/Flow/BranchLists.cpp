// branch-targets-expected: a branch through a list goes to labels, not to functions.
#include "Flow/BodyRules.h"

namespace ptxray {

void checkBranchLists(const Body &body, const BodyContext &context) {
  for (const uint32_t number : body.notable) {
    if (!body.facts(number).has(isa::FactKind::Branches))
      continue;
    body.eachUse(number, [&](NamedUse use) {
      const Symbol *symbol = use.uses & Targets ? body.symbol(use.local) : nullptr;
      if (symbol && (symbol->kind == SymbolKind::Prototype || symbol->kind == SymbolKind::CallTargets))
        context.sink.report(DiagId::BranchTargetsExpected, use.operand.range, body.text(use.local))
            .notes.push_back({"declared here", symbol->nameRange});
    });
  }
}

} // namespace ptxray
