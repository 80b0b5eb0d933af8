#pragma once
// Small damages to the formulas of grammar/isa: another operator, an operand less, a number beside the right one.
#include "Model.h"
#include <functional>

namespace ptxray::test {

struct FormulaMutant {
  isagen::Place place;
  std::string text;                     // `d = a + b: + becomes -`
  const isagen::Scope *entry = nullptr; // null: of all entries of its file, or of all
  /// Damages the model; done once more, it repairs it.
  std::function<void()> exchange;
};

std::vector<FormulaMutant> findFormulaMutants(isagen::Model &model);

} // namespace ptxray::test
