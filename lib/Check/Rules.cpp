#include "Check/Rules.h"

namespace ptxray {

void runNamedRules(FormView &view) {
  for (uint32_t rule : isa::run(isa::tables().formChecks, view.form.checks))
    namedRules[rule].run(view);
}

} // namespace ptxray
