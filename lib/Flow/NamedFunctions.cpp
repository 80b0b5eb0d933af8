// Functions that exist from some version on, such as `cudaDeviceSynchronize`.
#include "Flow/BodyRules.h"
#include "llvm/ADT/BitVector.h"

namespace ptxray {

void checkNamedFunctions(const Body &body, const BodyContext &context) {
  llvm::BitVector seen(body.locals.size());
  for (const uint32_t number : body.notable)
    body.eachUse(number, [&](NamedUse use) {
      if (!(use.uses & (Calls | Names)) || seen.test(static_cast<unsigned>(use.local)))
        return;
      seen.set(static_cast<unsigned>(use.local));
      context.rules.requireFunction(use.operand.name, use.operand.range);
    });
}

} // namespace ptxray
