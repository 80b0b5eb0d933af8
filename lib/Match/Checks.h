#pragma once
// Named checks for conditions that table rows cannot express. `check name;` in an entry calls checks::name in
// checks/name.cpp, which reads the instruction through the matched form.
#include "Match/FormView.h"
#include "Match/Judgement.h"
#include <array>
#include <string_view>

namespace ptxray {

void runChecks(const FormView &view, Judgement &judgement);

} // namespace ptxray

#include "Checks.inc" // declares them; made from grammar/isa
