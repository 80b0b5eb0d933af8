#include "Module/Gates.h"
#include "Isa/Isa.h"

namespace ptxray {

isa::DirectivePlace headPlace(const Function &function) {
  if (function.kind == FunctionKind::Entry)
    return function.hasBody ? isa::OnEntry : isa::OnDeclaredEntry;
  return function.hasBody ? isa::OnFunction : isa::OnDeclaredFunction;
}

Diagnostic *requireGate(isa::ExprId gate, const llvm::Twine &subject, Range range, ModuleState &module) {
  if (module.availability.holds(gate))
    return nullptr;
  const ModuleSummary summary = module.header.summary();
  return &module.sink.report(DiagId::NotAvailable, range, subject, gateText(gate), summary.ptx, summary.target);
}

void requireFeature(isa::FeatureId id, const llvm::Twine &subject, Range range, ModuleState &module) {
  requireGate(isa::feature(id).gate, subject, range, module);
}

void requireFeature(isa::FeatureId id, Range range, ModuleState &module) {
  requireFeature(id, isa::feature(id).title(), range, module);
}

const isa::Directive *requireDirective(SpellingId name, Range range, isa::DirectivePlace place, ModuleState &module) {
  const isa::Directive *known = module.directiveOf(name);
  if (known)
    requireDirective(*known, range, place, module);
  return known;
}

void requireDirective(const isa::Directive &known, Range range, isa::DirectivePlace place, ModuleState &module) {
  const bool mayStand = known.places & place;
  if (mayStand && module.availability.holds(known.gate)) [[likely]]
    return;
  const std::string name(known.name());
  requireGate(known.gate, "`" + name + "`", range, module);
  if (mayStand)
    return;
  constexpr uint16_t heads = isa::OnEntry | isa::OnDeclaredEntry | isa::OnFunction | isa::OnDeclaredFunction;
  if (place & heads)
    module.sink.report(DiagId::DirectivePlace, range, name, "a function with a body");
  else
    module.sink.report(DiagId::MisplacedDirective, range, name);
}

/// Checks the gate of a special register that is used as a guard. For operands, the form checks it.
void requireGuard(NameId name, Range range, ModuleState &module) {
  if (const isa::SpecialRegister *reg = module.resolver.find(name) ? nullptr : module.resolver.special(name))
    requireGate(reg->gate, "`" + module.ast.text(name) + "`", range, module);
}

/// Checks the gate of a runtime function that later targets lack, when it is called or its address is taken.
void requireFunction(NameId name, Range range, ModuleState &module) {
  if (const isa::RuntimeFunction *known = isa::findRuntimeFunction(module.ast.text(name)))
    requireGate(known->gate, "`" + module.ast.text(name) + "`", range, module);
}

} // namespace ptxray
