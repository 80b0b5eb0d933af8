#pragma once
// The names in scope at a place of a text.
#include "Editor/Excerpt.h"

namespace ptxray {

struct VisibleName {
  const Declaration *declaration = nullptr; // null: of a label or function
  const Function *function = nullptr;
  NameId name = NameId::None;
  enum Kind : uint8_t { Register, Variable, Parameter, Label, Function_ } kind = Register;
  uint32_t familyCount = 0; // of `%r<10>`: 10
  isa::WordId type = 0, space = 0;
};

/// Returns the names, inner ones first; of equal names only the innermost.
std::vector<VisibleName> visibleNames(const Excerpt &excerpt, uint32_t offset);

} // namespace ptxray
