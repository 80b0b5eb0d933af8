#include "Machine/Fences.h"
#include "Machine/Grid.h"

namespace ptxray::machine {

static void fenceWeakly(const ThreadFence &fence, WeakView &view) {
  const Reach reach = fence.isOfBlock ? Reach::Block : Reach::Everybody;
  if (fence.isSequential)
    return view.fence(reach);
  if (fence.acquires)
    view.acquire(reach);
  if (fence.releases)
    view.release(reach);
}

void fenceThreads(char *, const Op &op, uint32_t mask, Warp &warp) {
  const auto &fence = *static_cast<const ThreadFence *>(op.more);
  if (warp.weak)
    fenceWeakly(fence, *warp.weak);
  observersOf(warp).notify(events::Order, [&](Observer &one) {
    one.fences(warp, mask, {Fence::Of::Threads, fence.releases, fence.acquires});
  });
}

void meetReads(char *, const Op &, uint32_t mask, Warp &warp) {
  observersOf(warp).notify(events::Order, [&](Observer &one) { one.joins(warp, mask, /*isBarrier=*/false); });
}

void meetLanes(char *, const Op &, uint32_t mask, Warp &warp) {
  settleAll(warp);
  observersOf(warp).notify(events::Order, [&](Observer &one) { one.joins(warp, mask, /*isBarrier=*/true); });
}

void reportFence(char *, const Op &op, uint32_t mask, Warp &warp) {
  observersOf(warp).notify(events::Order,
                           [&](Observer &one) { one.fences(warp, mask, *static_cast<const Fence *>(op.more)); });
}

} // namespace ptxray::machine
