#include "Module/ModuleRules.h"

namespace ptxray {

void checkAlias(const Directive &directive, ModuleState &module) {
  llvm::ArrayRef<Operand> operands = module.ast.operandsOf(directive.operands);
  if (operands.size() != 2)
    return;
  const Operand &alias = operands[0], &aliasee = operands[1];
  auto wrong = [&](const Operand &at, const std::string &why) {
    module.sink.report(DiagId::AliasTarget, at.range, module.ast.text(at.name), why);
  };
  for (const Operand &operand : operands)
    if (!module.resolver.find(operand.name)) {
      module.resolver.reportUnknown(operand.name, operand.range);
      return;
    }
  if (alias.name == aliasee.name)
    return wrong(alias, "is the same function");
  auto own = module.functions.find(static_cast<uint32_t>(alias.name));
  auto other = module.functions.find(static_cast<uint32_t>(aliasee.name));
  if (own == module.functions.end())
    return wrong(alias, "is not a function");
  if (other == module.functions.end())
    return wrong(aliasee, "is not a function");
  if (own->second.isDefined)
    return wrong(alias, "has a body of its own");
  if (other->second.kind == FunctionKind::Entry)
    return wrong(aliasee, "is an entry");
  if (own->second.kind == FunctionKind::Entry)
    return wrong(alias, "is an entry");
  if (module.text(other->second.linkage) == ".extern" || module.text(other->second.linkage) == ".weak")
    return wrong(aliasee, "is `" + module.text(other->second.linkage).str() + "`");
  if (!module.aliases.insert(static_cast<uint32_t>(alias.name)).second)
    return wrong(alias, "is an alias already");
  if (own->second.noReturn != other->second.noReturn)
    module.sink.report(DiagId::PrototypeMismatch, alias.range, module.ast.text(alias.name), "`.noreturn`")
        .notes.push_back({"the function it names", other->second.nameRange});
  for (auto [a, b] : {std::pair(&own->second.returns, &other->second.returns),
                      std::pair(&own->second.parameters, &other->second.parameters)})
    if (llvm::StringRef what = difference(*a, *b); !what.empty())
      module.sink.report(DiagId::PrototypeMismatch, alias.range, module.ast.text(alias.name), what)
          .notes.push_back({"the function it names", other->second.nameRange});
}

} // namespace ptxray
