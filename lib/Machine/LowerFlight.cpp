// Lowers facts about asynchronous operations, their groups, and proxy fences.
#include "Isa/Words.h"
#include "Machine/Async.h"
#include "Machine/Fences.h"
#include "Machine/Flight.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray::machine {

using isa::FactKind;

/// Returns whether a tensor core performs the operations of a group in the order of their start.
static bool isPipeline(llvm::StringRef group) {
  return group == "tcgen05.mma" || group == "tcgen05.cp" || group == "tcgen05.shift";
}

/// Returns the groups for which a wait covers only the reads of operations. All other waits also cover writes.
static uint16_t groupsAwaitedForReads() {
  uint16_t groups = 0;
  for (const isa::Fact &fact : isa::tables().facts)
    if (fact.kind == FactKind::Waits && fact.isReads)
      groups |= fact.groups;
  return groups;
}

int engineOf(const Action &action) {
  if (!action.groups)
    return -1;
  const auto first = static_cast<unsigned>(__builtin_ctz(action.groups));
  const llvm::ArrayRef<isa::StoredText> groups = isa::tables().groups;
  if (!isPipeline(groups[first]()))
    return static_cast<int>(first);
  return static_cast<int>(llvm::find_if(groups, [](isa::StoredText group) { return isPipeline(group()); }) -
                          groups.begin());
}

bool isPipelineEngine(unsigned engine) { return isPipeline(isa::tables().groups[engine]()); }

static bool isOfWarpgroup(const Lowered &one) {
  const Action *converged = one.action(FactKind::Converged);
  return converged && converged->scope() == isa::Scope::Warpgroup;
}

void lowerStart(const Lowered &one, size_t first, FunctionCode &code, BodyLowering &lowering) {
  const Action *action = one.action(FactKind::Async);
  if (!action || first == code.ops.size())
    return;
  StartedOperation start;
  start.ops.assign(code.ops.begin() + static_cast<long>(first), code.ops.end());
  for (Op &op : start.ops)
    op.instruction = one.number;
  code.ops.resize(first);
  start.engine = engineOf(*action);
  start.isOfWarpgroup = isOfWarpgroup(one);
  start.isAsyncProxy = action->proxy() == isa::Proxy::Async;
  start.isOrdered = start.engine >= 0 && isPipelineEngine(static_cast<unsigned>(start.engine));
  start.isCounted = action->node >= 0;
  start.at = &one.written;
  start.held = heldBy(*code.body, one.number);
  const bool holds = one.facts().has(FactKind::Holds);
  for (const NodeUse &use : one.facts().nodes)
    if (use.uses & Writes && holds)
      start.results.push_back(lowering.placeOf(one, use.node, 32));
    else if (use.uses & Writes)
      start.isAtOnce = true;
  for (const Access &access : one.facts().accesses)
    start.readsShared |= access.reads() && access.space && isa::wholeSpace(access.space) == isa::words::shared;
  if (start.isCounted)
    start.object = lowering.addressAt(one, action->node);
  lowering.emit(startOperation, std::move(start));
}

/// Returns whether a proxy fence also applies to shared memory.
static bool isOfShared(const Action &action) {
  return !action.space || isa::word(action.space).text() != isa::word(isa::words::global).text();
}

/// Lowers a fence, which orders accesses but performs none.
static void lowerFence(const Lowered &one, BodyLowering &lowering) {
  ThreadFence fence{one.facts().has(FactKind::Releases), one.facts().has(FactKind::Acquires)};
  fence.isSequential = isSequential(one);
  fence.isOfBlock = one.kind.isOfBlock;
  const auto isMore = [](const Action &action) {
    return action.kind == FactKind::Arrives || action.kind == FactKind::Awaits || action.kind == FactKind::Syncs ||
           action.kind == FactKind::Async;
  };
  if ((fence.releases || fence.acquires) && one.facts().accesses.empty() && llvm::none_of(one.facts().actions, isMore))
    lowering.emit(fenceThreads, fence);
}

void lowerGroups(const Lowered &one, BodyLowering &lowering) {
  lowerFence(one, lowering);
  const Facts &facts = one.facts();
  if (lowering.isObserved() && (facts.has(FactKind::Among) || facts.has(FactKind::Converged)) &&
      !facts.has(FactKind::Elects) && !facts.has(FactKind::Syncs))
    lowering.emit(meetReads, 0);
  for (const Action &action : one.facts().actions) {
    if (action.kind == FactKind::Syncs && action.scope() == isa::Scope::Warp)
      lowering.emit(meetLanes, 0);
    using enum isa::Ordered;
    const auto ordered = static_cast<isa::Ordered>(action.detail), with = static_cast<isa::Ordered>(action.other);
    if (action.kind == FactKind::Orders) {
      if (ordered == Generic && with == Async && isOfShared(action))
        lowering.emit(reportFence, Fence{Fence::Of::Proxies});
      else if (ordered == Registers)
        lowering.emit(reportFence, Fence{Fence::Of::Registers});
      else if (ordered == Barriers)
        lowering.emit(reportFence, Fence{Fence::Of::Objects});
    }
    if (action.kind != FactKind::Commits && action.kind != FactKind::Waits)
      continue;
    GroupUse use;
    use.isOfWarpgroup = isOfWarpgroup(one);
    use.engine = static_cast<unsigned>(engineOf(action));
    use.completesWrites = !action.isReads && (action.groups & groupsAwaitedForReads());
    if (action.amount >= 0)
      use.pending = lowering.placeOf(one, action.amount, 64);
    lowering.emit(action.kind == FactKind::Commits ? commitGroup : awaitGroups, use);
  }
}

} // namespace ptxray::machine
