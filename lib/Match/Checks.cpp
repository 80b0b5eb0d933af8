#include "Match/Checks.h"

namespace ptxray {

void runChecks(FormView &view) {
  for (uint32_t rule : isa::run(isa::tables().formChecks, view.form.checks))
    namedChecks[rule].run(view);
}

} // namespace ptxray
