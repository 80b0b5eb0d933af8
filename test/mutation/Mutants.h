#pragma once
// Mutations of grammar/isa. Each removes one item of the data.
#include "Model.h"
#include <functional>

namespace ptxray::test {

struct Mutant {
  isagen::Place place;
  std::string kind;                     // `value`, `row`, `cell`, `rule`, `gate`, `range`, `with`, `fact`, `access`
  std::string text;                     // identifies the removed item
  std::string word;                     // the removed word, if it is one
  const isagen::Scope *entry = nullptr; // null for a file, or for all files
  bool ofModules = false;               // removes a directive, a feature or a limit, which single lines cannot detect
  /// Applies the mutation to the model. Returns a function that reverts it.
  std::function<std::function<void()>()> apply;
  bool ofFacts = false; // changes effects of instructions instead of their syntax
};

std::vector<Mutant> findMutants(isagen::Model &model);

} // namespace ptxray::test
