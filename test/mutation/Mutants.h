#pragma once
// Small damages to grammar/isa: each takes one thing of the data away.
#include "Model.h"
#include <functional>

namespace ptxray::test {

struct Mutant {
  isagen::Place place;
  std::string kind;                     // `value`, `row`, `cell`, `rule`, `gate`, `range`, `with`, `fact`, `access`
  std::string text;                     // what is taken away, as far as it needs to be told apart
  std::string word;                     // that is taken away, if it is one
  const isagen::Scope *entry = nullptr; // null: of a file, or of all files
  bool ofModules = false;               // of a directive, a feature, a limit: nothing for a single line to notice
  /// Damages the model; what it returns repairs it.
  std::function<std::function<void()>()> apply;
  bool ofFacts = false; // it changes what an instruction does, not what may be written
};

std::vector<Mutant> findMutants(isagen::Model &model);

} // namespace ptxray::test
