#include "Generate/Family.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

using isa::FactKind;
using isa::OperandRole;
using llvm::StringRef;

std::optional<Family> findFamily(StringRef name) {
  const auto *found = llvm::find(familyNames, name);
  return found == familyNames.end() ? std::nullopt : std::optional(static_cast<Family>(found - familyNames.begin()));
}

/// Returns whether programs omit forms with this fact: asynchronous ones, and those that end a thread or branch.
static bool isLeftOut(FactKind kind) {
  switch (kind) {
  case FactKind::Copies:
  case FactKind::Converged:
  case FactKind::Among:
  case FactKind::Syncs:
  case FactKind::Releases:
  case FactKind::Acquires:
  case FactKind::Strong:
  case FactKind::Per:
  case FactKind::Occupies:
  case FactKind::Multiplies: return false;
  default: return true;
  }
}

static Families familyOf(const isa::Form &form) {
  const isa::Tables &t = isa::tables();
  bool isJoint = false, isBarrier = false, isNamed = false, hasAddress = false, isUpdate = false;
  for (const isa::Fact &fact : isa::run(t.facts, form.facts)) {
    if (isLeftOut(fact.kind) && !fact.when)
      return 0;
    isJoint |= fact.kind == FactKind::Converged || fact.kind == FactKind::Among;
    isBarrier |= fact.kind == FactKind::Syncs && static_cast<isa::Scope>(fact.detail) == isa::Scope::Cta;
  }
  for (const isa::OperandDecl &operand : isa::run(t.operands, form.operands)) {
    if (isa::isOpaque(operand.role) || operand.role == OperandRole::Label || operand.role == OperandRole::Function)
      return 0;
    if (operand.role != OperandRole::Address)
      continue;
    if (operand.access < isa::Access::Reads || operand.access > isa::Access::Updates || hasAddress)
      return 0;
    hasAddress = true;
    isUpdate = operand.access == isa::Access::Updates;
  }
  for (const isa::Formula &formula : isa::run(t.formulas, form.formulas))
    isNamed |= llvm::any_of(isa::run(t.steps, formula.steps),
                            [](const isa::Step &step) { return step.op == isa::StepOp::Named; });
  if (isBarrier)
    return bitOf(Family::Barriers);
  if (isJoint)
    return bitOf(isNamed || hasAddress ? Family::Matrices : Family::Warp);
  if (hasAddress)
    return bitOf(isUpdate ? Family::Atomics : Family::Memory);
  return bitOf(Family::Compute);
}

Families familiesOf(const isa::Mnemonic &mnemonic) {
  const isa::Tables &t = isa::tables();
  Families families = 0;
  for (const uint32_t form : isa::run(t.mnemonicForms, mnemonic.forms))
    families |= familyOf(t.forms[form]);
  return families;
}

} // namespace ptxray
