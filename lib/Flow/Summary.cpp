// What a body uses of its module, for the rules about kernels and what they call.
#include "Flow/BodyRules.h"
#include "Isa/Isa.h"

namespace ptxray {

static bool isShared(const Symbol &symbol) {
  return symbol.kind == SymbolKind::Variable && isa::word(symbol.space).text == ".shared";
}

static void addNamed(FunctionSummary &summary, const NamedUse &use, const Symbol &symbol) {
  if (symbol.kind == SymbolKind::Function)
    summary.functions.push_back({use.operand.name, use.operand.range, (use.uses & Calls) != 0});
  else if (isShared(symbol))
    summary.shared.push_back(use.operand.name);
}

FunctionSummary summaryOf(const Body &body) {
  FunctionSummary summary;
  summary.name = body.function->name;
  summary.kind = body.function->kind;
  summary.nameRange = body.function->nameRange;
  for (const PlacedDeclaration &placed : body.declarations) {
    const Declaration &declaration = body.ast->declarations[placed.index];
    if (body.ast->text(declaration.space) == ".shared" && declaration.linkage == SpellingId::None)
      summary.sharedBytes += placed.extent.bytes;
  }
  for (const uint32_t number : body.notable) {
    const Range place = body.instruction(number).opcodeRange;
    if (body.facts(number).ctas == 1 && !summary.oneCta.size())
      summary.oneCta = place;
    if (body.facts(number).ctas == 2 && !summary.ctaPair.size())
      summary.ctaPair = place;
  }
  body.eachNamed([&](NamedUse use) {
    if (const Symbol *symbol = body.symbol(use.local); symbol && symbol->depth == 0)
      addNamed(summary, use, *symbol);
  });
  return summary;
}

} // namespace ptxray
