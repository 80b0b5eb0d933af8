#pragma once
// Mutations of the formulas in grammar/isa: a different operator, a missing operand, a changed number.
#include "Model.h"
#include <functional>

namespace ptxray::test {

struct FormulaMutant {
  isagen::Place place;
  std::string text;                     // `d = a + b: + becomes -`
  const isagen::Scope *entry = nullptr; // null for all entries of its file, or for all entries
  /// Applies the mutation to the model. A second call reverts it.
  std::function<void()> exchange;
};

std::vector<FormulaMutant> findFormulaMutants(isagen::Model &model);

} // namespace ptxray::test
