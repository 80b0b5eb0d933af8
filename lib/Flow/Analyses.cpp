#include "Flow/Analyses.h"
#include "Flow/Addresses.h"
#include "Flow/Sharing.h"
#include "Flow/Values.h"

namespace ptxray {

Analyses::Analyses(const Body &body, const ModuleState &module) : body(body), module(module) {}
Analyses::~Analyses() = default;

Values &Analyses::values() {
  if (!numbers)
    numbers = std::make_unique<Values>(body, *this);
  return *numbers;
}

AddressOrigins &Analyses::addresses() {
  if (!origins)
    origins = std::make_unique<AddressOrigins>(body, *this);
  return *origins;
}

Sharing &Analyses::sharing() {
  if (!shared)
    shared = std::make_unique<Sharing>(body, *this);
  return *shared;
}

bool Analyses::precedes(uint32_t first, uint32_t second) {
  const BlockId a = graph().blockOf(first), b = graph().blockOf(second);
  if (a == b)
    return first < second;
  if (a == graph().order.front()) // that one comes before all others
    return graph().isReached(b);
  return dominators().contains(a) && dominators().contains(b) && dominators().dominates(a, b);
}

} // namespace ptxray
