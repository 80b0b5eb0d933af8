#include "Module/Gates.h"
#include "Module/ModuleRules.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

static std::vector<Formal> formals(const Function &function, Slice declared, Site site, ModuleState &module) {
  std::vector<Formal> out;
  for (uint32_t i = declared.first; i < declared.end(); ++i) {
    const Declaration &declaration = module.ast.declarations[i];
    checkVariable(declaration, site, function.hasBody, module);
    checkPointer(function, declaration, module);
    if (function.kind == FunctionKind::Func && declaration.name == NameId::None)
      module.sink.report(DiagId::SinkName, declaration.nameRange);
    out.push_back(module.formalOf(declaration));
    if (site == Site::FunctionParameter && out.back().isOpen() && i + 1 < declared.end())
      module.sink.report(DiagId::OpenParameter, declaration.nameRange, out.back().name);
  }
  return out;
}

static const isa::Directive &directiveOf(FunctionKind kind) {
  return isa::directive(kind == FunctionKind::Entry  ? isa::DirectiveId::Entry
                        : kind == FunctionKind::Func ? isa::DirectiveId::Func
                                                     : isa::DirectiveId::Callprototype);
}

void checkFunction(const Function &function, isa::DirectivePlace place, ModuleState &module) {
  const bool isEntry = function.kind == FunctionKind::Entry;
  requireDirective(directiveOf(function.kind), function.nameRange, place, module);
  if (const isa::Directive *linkage = module.directiveOf(function.linkage)) {
    requireGate(linkage->gate, "`" + module.text(function.linkage) + "`", function.head, module);
    if (!(linkage->places & headPlace(function)))
      module.sink.report(DiagId::LinkageSpace, function.head, linkage->name(), ".global");
  }
  Signature signature;
  signature.kind = function.kind;
  signature.linkage = function.linkage;
  signature.isDefined = function.hasBody;
  signature.nameRange = function.nameRange;
  signature.returns = formals(function, function.returns, Site::FunctionReturn, module);
  signature.parameters =
      formals(function, function.parameters, isEntry ? Site::EntryParameter : Site::FunctionParameter, module);
  if (signature.returns.size() > 1 && llvm::any_of(signature.returns, [](const Formal &f) { return !f.isRegister; }))
    module.sink.report(DiagId::SeveralReturns, function.nameRange, module.ast.text(function.name));
  if (isEntry && function.hasBody)
    checkParameterSize(function, signature, module);
  if (isEntry && !function.parameters.empty())
    requireFeature(isa::FeatureId::EntryParameters, function.nameRange, module);
  if (isEntry && !function.hasBody)
    requireFeature(isa::FeatureId::EntryDeclaration, function.nameRange, module);
  checkFunctionAttributes(function, signature, module);
  for (uint32_t i = function.directives.first; i < function.directives.end(); ++i)
    signature.noReturn |= module.ast.text(module.ast.directives[i].name) == ".noreturn";
  checkHeadDirectives(function, module);
  if (function.kind == FunctionKind::Prototype)
    module.prototypes[static_cast<uint32_t>(function.name)] = std::move(signature);
  else
    redeclareFunction(function, std::move(signature), module);
}

} // namespace ptxray
