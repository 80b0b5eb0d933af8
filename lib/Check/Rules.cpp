#include "Check/Rules.h"
#include <array>
#include <string_view>
#include "Isa/IsaRules.inc"

namespace ptxray {

void runNamedRules(FormView &view) {
  for (uint32_t rule : isa::run(isa::tables().formChecks, view.form.checks))
    namedRules[rule].run(view);
}

} // namespace ptxray
