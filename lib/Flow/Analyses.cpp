#include "Flow/Analyses.h"
#include "Flow/Addresses.h"
#include "Flow/Sharing.h"
#include "Flow/Values.h"
#include "llvm/ADT/STLExtras.h"

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

const std::vector<BlockId> &Analyses::threadChoices() {
  if (choices)
    return *choices;
  const DominatorTree &before = dominators();
  choices.emplace(before.parent.size(), BlockId::None);
  const auto isChoice = [&](BlockId block) {
    const LocalId guard =
        graph().splits(block) && postDominators().contains(block) ? body.guard(graph()[block].last()) : LocalId::None;
    return guard != LocalId::None && sharing().of(guard).isOfThread;
  };
  std::vector<BlockId> order;
  for (uint32_t index = 0; index < before.parent.size(); ++index)
    if (before.contains(BlockId(index)))
      order.push_back(BlockId(index));
  llvm::sort(order, [&](BlockId a, BlockId b) { return before.enter[indexOf(a)] < before.enter[indexOf(b)]; });
  for (const BlockId block : order) // dominators precede the blocks that they dominate
    if (const BlockId above = before.parent[indexOf(block)]; above != BlockId::None)
      (*choices)[indexOf(block)] = isChoice(above) ? above : (*choices)[indexOf(above)];
  return *choices;
}

bool Analyses::precedes(uint32_t first, uint32_t second) {
  const BlockId a = graph().blockOf(first), b = graph().blockOf(second);
  if (a == b)
    return first < second;
  if (a == graph().order.front()) // the entry block precedes all others
    return graph().isReached(b);
  return dominators().contains(a) && dominators().contains(b) && dominators().dominates(a, b);
}

} // namespace ptxray
