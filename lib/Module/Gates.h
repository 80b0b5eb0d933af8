#pragma once
// Checks that a module's version and target support its items. Each function reports missing support.
#include "Module/ModuleState.h"
#include "llvm/ADT/Twine.h"

namespace ptxray {

/// Checks a gate. Returns the report, or null if the gate holds.
Diagnostic *requireGate(isa::ExprId gate, const llvm::Twine &subject, Range range, ModuleState &module);
void requireFeature(isa::FeatureId id, Range range, ModuleState &module);
void requireFeature(isa::FeatureId id, const llvm::Twine &subject, Range range, ModuleState &module);
/// Checks that the version and target support a directive, and that it is permitted in that position. Returns null if
/// there is no such directive.
const isa::Directive *requireDirective(SpellingId name, Range range, isa::DirectivePlace place, ModuleState &module);
void requireDirective(const isa::Directive &known, Range range, isa::DirectivePlace place, ModuleState &module);
/// Returns the position of the directives in the function's head.
isa::DirectivePlace headPlace(const Function &function);
void requireFunction(NameId name, Range range, ModuleState &module);
void requireGuard(NameId name, Range range, ModuleState &module);

} // namespace ptxray
