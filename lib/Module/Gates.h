#pragma once
// Checks what the version and target of a module must have for an item. Each function reports what they lack.
#include "Module/ModuleState.h"
#include "llvm/ADT/Twine.h"

namespace ptxray {

/// Returns the report; null if the gate holds.
Diagnostic *requireGate(isa::ExprId gate, const llvm::Twine &subject, Range range, ModuleState &module);
void requireFeature(isa::FeatureId id, Range range, ModuleState &module);
void requireFeature(isa::FeatureId id, const llvm::Twine &subject, Range range, ModuleState &module);
/// Checks that the version and target have the directive and that it may be at that place. Null if no directive has the
/// name.
const isa::Directive *requireDirective(SpellingId name, Range range, isa::DirectivePlace place, ModuleState &module);
void requireDirective(const isa::Directive &known, Range range, isa::DirectivePlace place, ModuleState &module);
/// Returns the place of the directives in the function's head.
isa::DirectivePlace headPlace(const Function &function);
void requireFunction(NameId name, Range range, ModuleState &module);
void requireGuard(NameId name, Range range, ModuleState &module);

} // namespace ptxray
