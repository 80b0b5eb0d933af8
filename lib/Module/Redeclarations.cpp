#include "Module/ModuleRules.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

/// Returns whether a name is a special register, which ptxas declares ahead of the module.
static bool isSpecialRegister(NameId name, Range range, ModuleState &module) {
  if (name == NameId::None || !module.resolver.special(name))
    return false;
  module.sink.report(DiagId::InconsistentRedefinition, range, module.ast.text(name), "a special register");
  return true;
}

bool redeclareVariable(const Declaration &declaration, const Formal &formal, ModuleState &module) {
  const uint32_t name = static_cast<uint32_t>(declaration.name);
  const llvm::StringRef linkage = module.text(declaration.linkage);
  const llvm::StringRef written = module.ast.text(declaration.name);
  auto declaredBefore = [](Diagnostic &d, Range before) {
    d.notes.push_back({"declared here before", before});
    return false;
  };
  auto clash = [&](llvm::StringRef what, Range before) {
    return declaredBefore(module.sink.report(DiagId::InconsistentRedefinition, declaration.nameRange, written, what),
                          before);
  };
  if (isSpecialRegister(declaration.name, declaration.nameRange, module))
    return false;
  if (auto function = module.functions.find(name); function != module.functions.end())
    return clash("a function", function->second.nameRange);
  auto [entry, isNew] = module.globals.try_emplace(
      name, Global{formal, declaration.linkage, declaration.space, declaration.dims.count, declaration.nameRange});
  if (isNew)
    return true;
  const Global &before = entry->second;
  const llvm::StringRef beforeLinkage = module.text(before.linkage);
  // ptxas does not distinguish `.global` from `.const` here.
  auto family = [&](SpellingId space) {
    return module.text(space) == ".const" ? llvm::StringRef(".global") : module.text(space);
  };
  const bool sameDims =
      before.formal.isOpen() || formal.isOpen() ||
      (before.formal.extent.bytes == formal.extent.bytes && before.dimensions == declaration.dims.count);
  const bool sameType =
      before.formal.type == formal.type && family(before.space) == family(declaration.space) && sameDims;
  if (!sameType)
    return clash("another type or space", before.nameRange);
  if (beforeLinkage == ".extern" && linkage.empty())
    return clash("`.extern`", before.nameRange);
  if (beforeLinkage != ".extern" && linkage != ".extern")
    return declaredBefore(module.sink.report(DiagId::DuplicateDefinition, declaration.nameRange, written),
                          before.nameRange);
  return true;
}

void redeclareFunction(const Function &function, Signature signature, ModuleState &module) {
  const uint32_t name = static_cast<uint32_t>(function.name);
  const llvm::StringRef written = module.ast.text(function.name);
  auto declaredBefore = [](Diagnostic &d, Range before) { d.notes.push_back({"declared here before", before}); };
  auto clash = [&](IdTakingTexts<2> id, llvm::StringRef what, Range before) {
    declaredBefore(module.sink.report(id, function.nameRange, written, what), before);
  };
  if (isSpecialRegister(function.name, function.nameRange, module))
    return;
  if (auto variable = module.globals.find(name); variable != module.globals.end())
    return clash(DiagId::InconsistentRedefinition, "a variable", variable->second.nameRange);
  if (function.hasBody && module.text(function.linkage) == ".extern")
    module.sink.report(DiagId::InconsistentRedefinition, function.nameRange, written, "`.extern`");
  auto [entry, isNew] = module.functions.try_emplace(name, signature);
  if (isNew)
    return;
  const Signature &before = entry->second;
  const llvm::StringRef linkage = module.text(function.linkage), beforeLinkage = module.text(before.linkage);
  if (before.kind != signature.kind)
    clash(DiagId::InconsistentRedefinition, "an entry and a function", before.nameRange);
  else if (before.isDefined)
    declaredBefore(module.sink.report(DiagId::DuplicateDefinition, function.nameRange, written), before.nameRange);
  else if (llvm::StringRef what = difference(before.returns, signature.returns); !what.empty())
    clash(DiagId::PrototypeMismatch, what, before.nameRange);
  else if (llvm::StringRef what = difference(before.parameters, signature.parameters); !what.empty())
    clash(DiagId::PrototypeMismatch, what, before.nameRange);
  else if (linkage != beforeLinkage && (!linkage.empty() || beforeLinkage == ".extern"))
    clash(DiagId::InconsistentRedefinition, beforeLinkage.empty() ? "no linkage" : beforeLinkage, before.nameRange);
  else if (function.hasBody && beforeLinkage == ".extern")
    clash(DiagId::InconsistentRedefinition, "`.extern`", before.nameRange);
  else if (before.noReturn != signature.noReturn)
    clash(DiagId::PrototypeMismatch, "`.noreturn`", before.nameRange);
  else if (before.unified && signature.unified && before.unified != signature.unified)
    clash(DiagId::PrototypeMismatch, "`.unified`", before.nameRange);
  entry->second = std::move(signature);
}

} // namespace ptxray
