#include "Hazards/Hazards.h"
#include "Flow/Addresses.h"

namespace ptxray {

bool isShared(isa::WordId space) { return space && wholeSpace(space) == ".shared"; }

void checkHazards(const Body &body, const BodyContext &context, Analyses &analyses) {
  const bool concerned = llvm::any_of(body.notable, [&](uint32_t number) {
    const Facts &facts = body.facts(number);
    return hasAny(facts, {isa::FactKind::Async, isa::FactKind::Inits, isa::FactKind::Allocates}) ||
           llvm::any_of(facts.actions, [](const Action &action) {
             return action.kind == isa::FactKind::Awaits && action.node >= 0;
           });
  });
  if (!concerned)
    return;
  HazardContext hazards = {body, context.sink, analyses, Places(body, analyses)};
  for (auto rule : {checkCopies, checkHeldRegisters, checkProxies, checkBarrierObjects, checkTensorMemory})
    rule(hazards);
}

} // namespace ptxray
