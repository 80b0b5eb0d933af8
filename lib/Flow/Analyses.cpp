#include "Flow/Analyses.h"
#include "Flow/Addresses.h"
#include "Flow/Sharing.h"
#include "Flow/Values.h"

namespace ptxray {

Analyses::Analyses(const Body &body, const ModuleState &module) : body(body), module(module) {}
Analyses::~Analyses() = default;

template <typename T> static T &made(std::unique_ptr<T> &kept, const Body &body, Analyses &analyses) {
  if (!kept)
    kept = std::make_unique<T>(body, analyses);
  return *kept;
}
Values &Analyses::values() { return made(numbers, body, *this); }
AddressOrigins &Analyses::addresses() { return made(origins, body, *this); }
Sharing &Analyses::sharing() { return made(shared, body, *this); }

bool Analyses::precedes(uint32_t first, uint32_t second) {
  const BlockId a = graph().blockOf(first), b = graph().blockOf(second);
  if (a == b)
    return first < second;
  if (a == graph().order.front()) // that one comes before all others
    return graph().isReached(b);
  return dominators().contains(a) && dominators().contains(b) && dominators().dominates(a, b);
}

} // namespace ptxray
