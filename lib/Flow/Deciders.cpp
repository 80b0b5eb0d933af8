#include "Flow/Deciders.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

/// Blocks nested deeper are not told apart: each is taken for one that decides, so that no text makes them dear.
constexpr unsigned mostPasses = 32;

Deciders::Deciders(const Graph &graph, const DominatorTree &postDominators)
    : graph(graph), after(postDominators), isAskedFor(graph.size() + 1), isKnown(graph.size()),
      nearest(graph.size() + 1, BlockId::None) {
  topDown.resize(llvm::count_if(after.leave, [](uint32_t leave) { return leave != 0; }));
  for (uint32_t node = 0; node <= graph.size(); ++node)
    if (after.contains(BlockId(node)))
      topDown[after.enter[node]] = BlockId(node);
}

void Deciders::ask(BlockId block) {
  hasNew |= !isAskedFor[indexOf(block)];
  isAskedFor[indexOf(block)] = true;
}

void Deciders::findNearest() {
  for (const BlockId node : topDown) {
    const BlockId parent = after.parent[indexOf(node)];
    nearest[indexOf(node)] = isAskedFor[indexOf(node)] ? node
                             : parent == BlockId::None ? BlockId::None
                                                       : nearest[indexOf(parent)];
  }
}

/// On the way from a successor to where all ways meet again there is one that was asked for.
bool Deciders::decides(BlockId block) const {
  const BlockId limit = after.parent[indexOf(block)];
  return llvm::any_of(graph.successors.of(block), [&](BlockId successor) {
    if (!after.contains(successor) || nearest[indexOf(successor)] == BlockId::None)
      return false;
    return !after.dominates(nearest[indexOf(successor)], limit);
  });
}

std::vector<BlockId> Deciders::take() {
  std::vector<BlockId> found;
  for (unsigned pass = 0; std::exchange(hasNew, false); ++pass) {
    findNearest();
    for (const BlockId block : llvm::reverse(graph.order)) {
      const bool isNew = graph.splits(block) && !isKnown[indexOf(block)] && after.contains(block);
      if (!isNew || (pass < mostPasses && !decides(block)))
        continue;
      isKnown[indexOf(block)] = true;
      found.push_back(block);
      ask(block);
    }
  }
  return found;
}

} // namespace ptxray
