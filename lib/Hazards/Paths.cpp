#include "Hazards/Paths.h"
#include "Flow/Sharing.h"

namespace ptxray {

PathSearch::PathSearch(const Body &body, Analyses &analyses, std::vector<uint32_t> gates, isa::Scope uniform)
    : body(body), analyses(analyses), graph(analyses.graph()), gates(std::move(gates)), uniform(uniform) {}

/// If several instructions write a register, a loop may change it, such as a flag that is true only in the first
/// iteration. It is then unknown which paths a thread can take.
bool PathSearch::isUniform(LocalId predicate) {
  if (analyses.sharing().isSameIn(uniform, predicate))
    return true;
  constexpr size_t mostFollowed = 8;
  llvm::SmallVector<LocalId, 8> followed = {predicate};
  for (size_t i = 0; i < followed.size(); ++i) {
    const uint32_t writer = body.definitions.only(followed[i]);
    if (writer == Definitions::none && body.definitions.isWritten(followed[i]))
      return true;
    if (writer == Definitions::none)
      continue;
    for (const LocalId name : body.namesOf(writer))
      if (body.isRegister(name) && !llvm::is_contained(followed, name) && followed.size() < mostFollowed)
        followed.push_back(name);
  }
  return false;
}

bool PathSearch::leadsToGate(BlockId block) {
  return llvm::any_of(gates, [&](uint32_t gate) {
    return graph.isReached(graph.blockOf(gate)) && analyses.dominators().dominates(block, graph.blockOf(gate));
  });
}

/// Discards known values of predicates that the instruction writes.
void PathSearch::forget(PathPoint &point, uint32_t number) const {
  if (point.known.empty())
    return;
  for (const auto &[local, uses] : llvm::zip(body.namesOf(number), body.usesOf(number)))
    if (uses & Writes)
      llvm::erase_if(point.known, [local = local](const KnownPredicate &one) { return one.first == local; });
}

void PathSearch::leave(const PathPoint &point) {
  const Block &block = graph[point.block];
  const uint32_t last = block.last();
  const LocalId guard = body.guard(last);
  const llvm::ArrayRef<BlockId> next = graph.successors.of(point.block);
  const bool isChoice = guard != LocalId::None && next.size() == 2 && next[0] != next[1];
  const bool isDecided = isChoice && leadsToGate(next[0]) != leadsToGate(next[1]) && isUniform(guard);
  // A loop that leads back to a gate ends at some time.
  const auto isBack = [&](BlockId target) { return analyses.dominators().dominates(target, point.block); };
  for (const BlockId target : next) {
    if (isDecided && !leadsToGate(target) && !isBack(target == next[0] ? next[1] : next[0]))
      continue;
    PathPoint further = {target, point.known};
    if (isChoice) {
      const bool isTaken = !block.goesOn || target != next[0];
      const bool value = isTaken != body.instruction(last).guardNot;
      const std::optional<bool> known = point.valueOf(guard);
      if (known && *known != value)
        continue;
      constexpr size_t mostKnown = 4;
      if (!known && point.known.size() < mostKnown && body.definitions.only(guard) != Definitions::none)
        further.known.push_back({guard, value});
    }
    if (seen.insert(further).second)
      waiting.push_back(std::move(further));
  }
}

} // namespace ptxray
