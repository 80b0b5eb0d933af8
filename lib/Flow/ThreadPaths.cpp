#include "Flow/ThreadPaths.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

/// Returns whether the register may have a different value in another thread, or in another iteration of the counter's
/// loop.
bool ThreadPaths::mayDiffer(LocalId local, LocalId counter) {
  const Shared &shared = analyses.sharing().of(local);
  return shared.mayBeOfThread || shared.dependsOn(counter);
}

Coming ThreadPaths::decided(LocalId guard, bool isNegated, bool wanted, Values &values, LocalId counter) {
  const Numbers outcome = values.numbersOf(guard);
  if (outcome.isNumber())
    return ((outcome.low != 0) != isNegated) == wanted ? Coming::Certainly : Coming::Never;
  return mayDiffer(guard, counter) ? Coming::Perhaps : Coming::Certainly;
}

/// Returns whether a thread that reaches the end of `splitting` continues to `target`, which `splitting` dominates.
Coming ThreadPaths::passes(BlockId splitting, BlockId target, Values &values, LocalId counter) {
  const Graph &graph = analyses.graph();
  const DominatorTree &tree = analyses.dominators();
  const llvm::ArrayRef<BlockId> next = graph.successors.of(splitting);
  const auto leadsAlone = [&](BlockId block) {
    return graph.predecessors.of(block).size() == 1 && tree.dominates(block, target);
  };
  const auto *way = llvm::find_if(next, leadsAlone);
  if (way == next.end()) {
    const DominatorTree &after = analyses.postDominators();
    const bool isCertain = after.contains(splitting) && after.contains(target) && after.dominates(target, splitting);
    return isCertain ? Coming::Certainly : Coming::Perhaps;
  }
  const uint32_t last = graph[splitting].last();
  if (body.guard(last) != LocalId::None) {
    const bool isTaken = !graph[splitting].goesOn || way != next.begin();
    return decided(body.guard(last), body.instruction(last).guardNot, isTaken, values, counter);
  }
  // A list of labels:
  const bool depends = llvm::any_of(body.namesOf(last), [&](LocalId local) { return mayDiffer(local, counter); });
  return depends ? Coming::Perhaps : Coming::Certainly;
}

Coming ThreadPaths::comesTo(uint32_t instruction, Values &values, LocalId counter) {
  const Graph &graph = analyses.graph();
  const BlockId target = graph.blockOf(instruction);
  if (!graph.isReached(target))
    return Coming::Never;
  Coming coming = Coming::Certainly;
  const auto restrict = [&](Coming one) {
    if (coming != Coming::Never && one != Coming::Certainly)
      coming = one;
  };
  if (body.guard(instruction) != LocalId::None)
    restrict(decided(body.guard(instruction), body.instruction(instruction).guardNot, true, values, counter));
  unsigned count = 0;
  const DominatorTree &tree = analyses.dominators();
  // Continue with the next block that every path to the instruction passes.
  for (BlockId block = target; tree.parent[indexOf(block)] != BlockId::None && coming != Coming::Never;) {
    const BlockId above = tree.parent[indexOf(block)];
    if (!analyses.budget().allows(Limit::Dominators, ++count))
      return Coming::Perhaps;
    if (graph.splits(above))
      restrict(passes(above, block, values, counter));
    block = above;
  }
  return coming;
}

Coming ThreadPaths::warpComesTo(uint32_t instruction, uint64_t warp) {
  while (ofWarps.size() <= warp) {
    const Thread first = {.place = analyses.blockShape().placeOf(ofWarps.size() * warpSize)};
    ofWarps.push_back(std::make_unique<Values>(analyses.values(), first));
  }
  return comesTo(instruction, *ofWarps[warp]);
}

} // namespace ptxray
