// codegen-branch-table, codegen-abi-preserve: lists of labels and prototypes of functions, where they are used.
#include "Flow/BodyRules.h"
#include "Flow/Constants.h"
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
static bool hasIndex(const Body &body, uint32_t number) {
  Constants constants;
  constants.read(body);
  bool isOpen = false;
  body.eachUse(number, [&](NamedUse use) { isOpen |= use.uses & Reads && !constants.valueOf(use.local); });
  return isOpen;
}

/// A branch through a list becomes a jump through a table.
static void checkBranch(const Body &body, uint32_t number, const BodyContext &context, Analyses &analyses) {
  const uint64_t most = context.module.limitOfCode(isa::LimitId::BranchTargets);
  body.eachUse(number, [&](NamedUse use) {
    const Symbol *list = use.uses & Targets ? body.symbol(use.local) : nullptr;
    if (!list || list->kind != SymbolKind::BranchTargets)
      return;
    const uint64_t count = targetCount(body, use.local);
    if (count > most && analyses.graph().isReached(analyses.graph().blockOf(number)) && hasIndex(body, number))
      context.sink.report(DiagId::CodegenBranchTable, use.operand.range, body.text(use.local), count, most)
          .notes.push_back({"declared here", list->nameRange});
  });
}

static void checkCall(const Body &body, uint32_t number, const BodyContext &context) {
  body.eachUse(number, [&](NamedUse use) {
    const Symbol *prototype = use.uses & Targets ? body.symbol(use.local) : nullptr;
    if (prototype && prototype->kind == SymbolKind::Prototype)
      checkPreserved(*body.ast, body.ast->functions[prototype->index].directives,
                     context.module.limitOfCode(isa::LimitId::PreservedByCallee), context.sink);
  });
}

void checkCallTables(const Body &body, const BodyContext &context, Analyses &analyses) {
  for (const uint32_t number : body.notable) {
    const Facts &facts = body.facts(number);
    if (facts.has(isa::FactKind::Branches) && facts.uses & Targets)
      checkBranch(body, number, context, analyses);
    else if (facts.has(isa::FactKind::Calls) && facts.uses & Targets)
      checkCall(body, number, context);
  }
}

} // namespace ptxray
