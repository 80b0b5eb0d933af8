#include "Module/ModuleRules.h"

namespace ptxray {

std::optional<NameId> memberOf(const Ast &ast, NameId family, int64_t number) {
  const std::optional<uint32_t> id = ast.names->find(ast.text(family).str() + std::to_string(number));
  return id ? std::optional(static_cast<NameId>(*id)) : std::nullopt;
}

void checkTargets(const Directive &directive, ModuleState &module) {
  // The targets of an indirect branch are labels, those of an indirect call are functions.
  const bool areFunctions = module.ast.text(directive.name) == ".calltargets";
  for (const Operand &target : module.ast.operandsOf(directive.operands)) {
    const Symbol *symbol = module.resolver.find(target.name);
    const std::string name = module.ast.text(target.name).str();
    if (target.flags & HasOffset) { // `M<2>` represents M0 and M1
      for (int64_t i = 0; i < target.value; ++i) {
        const std::optional<NameId> member = memberOf(module.ast, target.name, i);
        if (member && module.resolver.find(*member))
          continue;
        module.sink.report(DiagId::UndefinedSymbol, target.range, name + std::to_string(i));
        break;
      }
      continue;
    }
    if (!symbol) {
      module.resolver.reportUnknown(target.name, target.range);
      continue;
    }
    if (!areFunctions && target.name == directive.label)
      continue; // ptxas treats it as a label
    if (symbol->kind != (areFunctions ? SymbolKind::Function : SymbolKind::Label)) {
      module.sink.report(DiagId::JumpTarget, target.range, name, areFunctions ? "a function" : "a label");
      continue;
    }
    // ptxas compares a call with the last target.
    if (auto found = module.functions.find(static_cast<uint32_t>(target.name));
        areFunctions && found != module.functions.end())
      module.prototypes[static_cast<uint32_t>(directive.label)] = found->second;
  }
}

} // namespace ptxray
