#include "Machine/Joins.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray::machine {

static bool isAncestor(const Warp &warp, int join, int of) {
  while (of != -1 && of != join)
    of = warp.others.joins[of].parent;
  return of == join;
}

void leaveJoins(Warp &warp, uint32_t mask, int from, int to) {
  warp.others.hasLeftJoins |= from != to;
  for (; from != to; from = warp.others.joins[from].parent)
    warp.others.joins[from].expected &= ~mask;
}

void merge(Warp &warp, Fragment &into, const Fragment &other) {
  int common = into.join;
  while (!isAncestor(warp, common, other.join))
    common = warp.others.joins[common].parent;
  leaveJoins(warp, into.mask, into.join, common);
  leaveJoins(warp, other.mask, other.join, common);
  into.join = common;
  into.mask |= other.mask;
}

/// Removes the last joins at which no lane waits or will wait.
static void popJoins(Warp &warp) {
  while (!warp.others.joins.empty() && !warp.others.joins.back().expected && !warp.others.joins.back().arrived) {
    const int last = static_cast<int>(warp.others.joins.size()) - 1;
    const auto names = [last](const Fragment &one) { return one.join == last; };
    if (warp.atBarrier || names(warp.now) || llvm::any_of(warp.others.ready, names) ||
        llvm::any_of(warp.others.parted, names))
      return;
    for (const Join &join : warp.others.joins)
      if (join.parent == last && (join.expected || join.arrived))
        return;
    warp.others.joins.pop_back();
  }
}

void settle(Warp &warp) {
  warp.others.hasLeftJoins = false;
  for (Join &join : warp.others.joins)
    if (join.expected && join.arrived == join.expected) {
      warp.others.ready.push_back({join.at, join.arrived, join.parent, join.frame});
      join.expected = join.arrived = 0;
    }
  popJoins(warp);
}

int pushJoin(Warp &warp, uint32_t at, uint32_t lanes) {
  if (warp.now.join >= 0 && warp.others.joins[warp.now.join].at == at &&
      warp.others.joins[warp.now.join].frame == warp.now.frame)
    return warp.now.join;
  warp.others.joins.push_back({at, warp.now.frame, lanes, 0, warp.now.join});
  return static_cast<int>(warp.others.joins.size()) - 1;
}

bool arriveAtJoins(Warp &warp) {
  Fragment &now = warp.now;
  while (now.join >= 0 && warp.others.joins[now.join].at == now.at && warp.others.joins[now.join].frame == now.frame) {
    Join &join = warp.others.joins[now.join];
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
  if (now.join < 0 || warp.others.joins[now.join].frame != now.frame)
    return nullptr;
  const CodeBlock &block = now.frame->code.blocks[warp.others.joins[now.join].at];
  return block.isJoin ? &block : nullptr;
}

bool partAtJoin(Warp &warp, const CodeBlock &block, uint32_t leaving) {
  Fragment &now = warp.now;
  const bool areLeaving = block.target == block.join;
  if (!areLeaving && now.at + 1 != block.join)
    return false;
  const uint32_t waiting = areLeaving ? leaving : now.mask & ~leaving;
  now.join = pushJoin(warp, block.join, now.mask);
  warp.others.joins[now.join].arrived |= waiting;
  now.mask &= ~waiting;
  now.at = areLeaving ? now.at + 1 : block.target;
  return true;
}

bool release(Warp &warp) {
  for (size_t i = warp.others.joins.size(); i--;) {
    Join &join = warp.others.joins[i];
    if (!join.arrived)
      continue;
    warp.others.ready.push_back({join.at, join.arrived, join.parent, join.frame});
    join.expected &= ~join.arrived;
    join.arrived = 0;
    settle(warp);
    return true;
  }
  return false;
}

void resume(Warp &warp, const Fragment &fragment) {
  for (Fragment &other : warp.others.ready)
    if (other.at == fragment.at && other.frame == fragment.frame)
      return merge(warp, other, fragment);
  if (!warp.now.mask && warp.others.ready.empty())
    warp.now = fragment;
  else
    warp.others.ready.push_back(fragment);
}

} // namespace ptxray::machine
