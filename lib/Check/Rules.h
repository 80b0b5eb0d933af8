#pragma once
// Rules that no table row can say. `check name;` in an entry calls rules::name, which stands in
// rules/name.cpp and reads the instruction through the form that it was laid under.
#include "Check/FormView.h"
#include <array>
#include <string_view>

namespace ptxray {

using RuleContext = FormView;

void runNamedRules(FormView &view);

} // namespace ptxray

#include "Rules.inc" // declares them; made from grammar/isa
