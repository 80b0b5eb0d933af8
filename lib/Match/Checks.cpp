// Calls the named checks of a form.
#include "Match/Checks.h"

namespace ptxray {

void runChecks(const FormView &view, Judgement &judgement) {
  for (uint32_t check : isa::run(isa::tables().formChecks, view.form().checks))
    namedChecks[check].run(view, judgement);
}

} // namespace ptxray
