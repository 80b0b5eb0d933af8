#pragma once
// The names in scope at a location.
#include "Editor/Excerpt.h"

namespace ptxray {

struct VisibleName {
  const Declaration *declaration = nullptr; // null for labels and functions
  const Function *function = nullptr;
  NameId name = NameId::None;
  enum Kind : uint8_t { Register, Variable, Parameter, Label, Function_ } kind = Register;
  uint32_t familyCount = 0; // 10 for `%r<10>`
  isa::WordId type = 0, space = 0;
};

/// Returns the visible names, innermost scope first. Of equal names, returns only the innermost.
std::vector<VisibleName> visibleNames(const Excerpt &excerpt, uint32_t offset);

} // namespace ptxray
