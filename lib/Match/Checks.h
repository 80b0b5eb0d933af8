#pragma once
// Named checks, for what no table row can say. `check name;` in an entry calls checks::name, which is in
// checks/name.cpp and reads the instruction through the form it was matched against.
#include "Match/FormView.h"
#include "Match/Judgement.h"
#include <array>
#include <string_view>

namespace ptxray {

void runChecks(const FormView &view, Judgement &judgement);

} // namespace ptxray

#include "Checks.inc" // declares them; made from grammar/isa
