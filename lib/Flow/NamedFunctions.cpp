// Functions that exist from some version on, such as `cudaDeviceSynchronize`.
#include "Flow/BodyRules.h"

namespace ptxray {

void checkNamedFunctions(const Body &body, const BodyContext &context) {
  body.eachNamed([&](NamedUse use) { context.rules.requireFunction(use.operand.name, use.operand.range); });
}

} // namespace ptxray
