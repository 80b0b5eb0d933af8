// Reports definitions, formulas, and hints that no form uses.
#include "Resolve.h"

namespace ptxray::isagen {

namespace {

void unusedIn(const Scope &scope, const Usage &usage, Errors &errors) {
  for (const auto &[name, definition] : scope.definitions)
    if (!usage.definitions.count(&definition))
      errors.report(definition.place, "unused-definition", "`" + name + "` is in no formula");
  for (const auto &below : scope.blocks)
    unusedIn(*below, usage, errors);
}

} // namespace

void lintFormulas(const Model &model, const Usage &usage, Errors &errors) {
  unusedIn(model.shared, usage, errors);
  for (const auto &scope : model.fileScopes)
    unusedIn(*scope, usage, errors);
  for (const Entry &entry : model.entries)
    unusedIn(*entry.scope, usage, errors);
  for (const auto &[formula, isUsed] : usage.formulas)
    if (!isUsed)
      errors.report(formula->place, "dead-formula", "`" + formula->text + "` is a formula of no form here");
  for (const auto &[hint, isUsed] : usage.hints)
    if (!isUsed)
      errors.report(hint.first->hints.at(hint.second), "dead-hint", "no form here has `" + hint.second + "`");
}

} // namespace ptxray::isagen
