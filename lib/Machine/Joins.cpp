#include "Machine/Joins.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray::machine {

static bool isAncestor(const Warp &warp, int join, int of) {
  while (of != -1 && of != join)
    of = warp.joins[of].parent;
  return of == join;
}

void leaveJoins(Warp &warp, uint32_t mask, int from, int to) {
  warp.hasLeftJoins |= from != to;
  for (; from != to; from = warp.joins[from].parent)
    warp.joins[from].expected &= ~mask;
}

void merge(Warp &warp, Fragment &into, const Fragment &other) {
  int common = into.join;
  while (!isAncestor(warp, common, other.join))
    common = warp.joins[common].parent;
  leaveJoins(warp, into.mask, into.join, common);
  leaveJoins(warp, other.mask, other.join, common);
  into.join = common;
  into.mask |= other.mask;
}

/// Forgets the last joins, as far as no lane waits there or will.
static void popJoins(Warp &warp) {
  while (!warp.joins.empty() && !warp.joins.back().expected && !warp.joins.back().arrived) {
    const int last = static_cast<int>(warp.joins.size()) - 1;
    const auto names = [last](const Fragment &one) { return one.join == last; };
    if (warp.atBarrier || names(warp.now) || llvm::any_of(warp.ready, names) || llvm::any_of(warp.parted, names))
      return;
    for (const Join &join : warp.joins)
      if (join.parent == last && (join.expected || join.arrived))
        return;
    warp.joins.pop_back();
  }
}

void settle(Warp &warp) {
  warp.hasLeftJoins = false;
  for (Join &join : warp.joins)
    if (join.expected && join.arrived == join.expected) {
      warp.ready.push_back({join.at, join.arrived, join.parent, join.frame});
      join.expected = join.arrived = 0;
    }
  popJoins(warp);
}

int pushJoin(Warp &warp, uint32_t at, uint32_t lanes) {
  if (warp.now.join >= 0 && warp.joins[warp.now.join].at == at && warp.joins[warp.now.join].frame == warp.now.frame)
    return warp.now.join;
  warp.joins.push_back({at, warp.now.frame, lanes, 0, warp.now.join});
  return static_cast<int>(warp.joins.size()) - 1;
}

bool arriveAtJoins(Warp &warp) {
  Fragment &now = warp.now;
  while (now.join >= 0 && warp.joins[now.join].at == now.at && warp.joins[now.join].frame == now.frame) {
    Join &join = warp.joins[now.join];
    join.arrived |= now.mask;
    if (join.arrived != join.expected) {
      now.mask = 0;
      return false;
    }
    now.mask = join.arrived;
    now.join = join.parent;
    join.expected = join.arrived = 0;
    popJoins(warp);
  }
  return true;
}

const CodeBlock *awaitedBlock(const Warp &warp) {
  const Fragment &now = warp.now;
  if (now.join < 0 || warp.joins[now.join].frame != now.frame)
    return nullptr;
  const CodeBlock &block = now.frame->code.blocks[warp.joins[now.join].at];
  return block.isJoin ? &block : nullptr;
}

bool partAtJoin(Warp &warp, const CodeBlock &block, uint32_t leaving) {
  Fragment &now = warp.now;
  const bool areLeaving = block.target == block.join;
  if (!areLeaving && now.at + 1 != block.join)
    return false;
  const uint32_t waiting = areLeaving ? leaving : now.mask & ~leaving;
  now.join = pushJoin(warp, block.join, now.mask);
  warp.joins[now.join].arrived |= waiting;
  now.mask &= ~waiting;
  now.at = areLeaving ? now.at + 1 : block.target;
  return true;
}

} // namespace ptxray::machine
