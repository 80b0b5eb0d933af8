// Functions that exist from some version on, such as `cudaDeviceSynchronize`.
#include "Flow/BodyRules.h"
#include "Module/Gates.h"

namespace ptxray {

void checkNamedFunctions(const Body &body, const BodyContext &context) {
  body.eachNamed([&](NamedUse use) { requireFunction(use.operand.name, use.operand.range, context.module); });
}

} // namespace ptxray
