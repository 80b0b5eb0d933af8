#pragma once
// What the version and target of a module must have for an item: each of these reports what they lack.
#include "Module/ModuleState.h"
#include "llvm/ADT/Twine.h"

namespace ptxray {

/// The report; null: the gate holds.
Diagnostic *requireGate(isa::ExprId gate, const llvm::Twine &subject, Range range, ModuleState &module);
void requireFeature(isa::FeatureId id, Range range, ModuleState &module);
void requireFeature(isa::FeatureId id, const llvm::Twine &subject, Range range, ModuleState &module);
/// The version and target have the directive, and it may be at that place; null: there is none of that name.
const isa::Directive *requireDirective(SpellingId name, Range range, isa::DirectivePlace place, ModuleState &module);
void requireDirective(const isa::Directive &known, Range range, isa::DirectivePlace place, ModuleState &module);
/// Where the directives of the function's head stand.
isa::DirectivePlace headPlace(const Function &function);
void requireFunction(NameId name, Range range, ModuleState &module);
void requireGuard(NameId name, Range range, ModuleState &module);

} // namespace ptxray
