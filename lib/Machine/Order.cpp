#include "Machine/Order.h"
#include "Machine/Grid.h"
#include "Machine/Wide.h"
#include <algorithm>

namespace ptxray::machine {

uint32_t entryOf(const Clock &clock, uint32_t entry) { return entry < clock.size() ? clock[entry] : 0; }

void raiseEntry(Clock &clock, uint32_t entry, uint32_t to) {
  if (clock.size() <= entry)
    clock.resize(entry + 1);
  clock[entry] = std::max(clock[entry], to);
}

/// An entry tells one lane of a warp from the others; where two are to be told apart, all of them count as known.
static void joinLane(Clock &into, uint32_t warp, uint32_t at, uint32_t entry) {
  const LaneCount other = LaneCount::of(entry), mine = LaneCount::of(into[at]);
  if (!other.count || (mine.count && mine.lane != other.lane)) {
    into[warp] = std::max({into[warp], mine.count ? other.count : 0, other.count ? mine.count : 0});
    into[at] = other.count ? 0 : into[at];
    return;
  }
  into[at] = std::max(into[at], entry);
}

static PTXRAY_INLINE void raiseAll(uint32_t *entries, const uint32_t *to, size_t count) {
  for (size_t i = 0; i < count; ++i)
    entries[i] = std::max(entries[i], to[i]);
}
static PTXRAY_FOR_AVX2 void raiseAllWide(uint32_t *entries, const uint32_t *to, size_t count) {
  raiseAll(entries, to, count);
}

void join(Clock &into, const Clock &other) {
  if (other.empty())
    return;
  into.resize(std::max(into.size(), other.size()));
  const size_t warps = other[0], first = std::min(firstLaneEntry(warps), other.size()),
               end = std::min(first + warps, other.size());
  const auto joinFrom = [&](size_t from, size_t to) {
    if (from < to)
      (isWide() ? raiseAllWide : raiseAll)(into.data() + from, other.data() + from, to - from);
  };
  joinFrom(0, first);
  for (size_t i = first; i < end; ++i)
    if (other[i])
      joinLane(into, static_cast<uint32_t>(i - first + 1), static_cast<uint32_t>(i), other[i]);
  joinFrom(end, other.size());
}

static bool areAll(const Warp &warp, uint32_t lanes) { return !(warp.alive & ~lanes); }

void publish(const Warp &warp, uint32_t lanes, const Clock &known, Clock &to) {
  if (lanes & warp.view.lanes)
    join(to, warp.view.clock);
  const uint32_t own = entryOf(known, warp.agent);
  if (areAll(warp, lanes) || (lanes & (lanes - 1)) || own <= warp.together)
    return join(to, known);
  Clock mine = known;
  mine[warp.agent] = warp.together;
  const LaneCount count{own, static_cast<uint32_t>(__builtin_ctz(lanes))};
  const uint32_t entry = warp.block->agents->lane(warp.agent);
  raiseEntry(mine, entry, 0);
  joinLane(mine, warp.agent, entry, count.entry());
  join(to, mine);
}

void tell(Warp &warp, uint32_t lanes, Clock &to) {
  publish(warp, lanes, warp.clock, to);
  ++warp.clock[warp.agent];
}

/// All lanes have seen what came back to the warp through others.
static void noteReturn(Warp &warp, const Clock &what) {
  warp.together = std::max(warp.together, entryOf(what, warp.agent));
  const Agents &agents = *warp.block->agents;
  if (what.size() <= agents.engine(1, 0)) // nothing is known of engines
    return;
  warp.enginesTogether.resize(agents.engines);
  for (uint32_t engine = 0; engine < agents.engines; ++engine) {
    uint32_t &seen = warp.enginesTogether[engine];
    seen = std::max(seen, entryOf(what, agents.engine(warp.agent, engine)));
  }
}

void learn(Warp &warp, uint32_t lanes, const Clock &what) {
  noteReturn(warp, what);
  LaneView &view = warp.view;
  if (!areAll(warp, lanes | view.lanes)) {
    view.lanes |= lanes;
    return join(view.clock, what);
  }
  join(warp.clock, what);
  if (view.lanes && !areAll(warp, lanes)) {
    join(warp.clock, view.clock);
    view = {};
  }
}

void learnEntry(Warp &warp, uint32_t lanes, uint32_t entry, uint32_t to) {
  if (areAll(warp, lanes))
    return raiseEntry(warp.clock, entry, to);
  warp.view.lanes |= lanes;
  raiseEntry(warp.view.clock, 0, warp.clock[0]);
  raiseEntry(warp.view.clock, entry, to);
}

static PTXRAY_INLINE uint32_t leastOf(const uint32_t *entries, size_t count) {
  uint32_t least = ~0u;
  for (size_t i = 0; i < count; ++i)
    least = std::min(least, entries[i]);
  return least;
}
static PTXRAY_FOR_AVX2 uint32_t leastOfWide(const uint32_t *entries, size_t count) { return leastOf(entries, count); }

void raiseHorizon(Warp &warp) {
  const size_t warps = warp.block->agents->warps;
  const uint32_t others = warp.clock.size() > warps ? (isWide() ? leastOfWide : leastOf)(&warp.clock[1], warps) : 0;
  warp.horizon = std::min(warp.together, others); // its own count is not less than what it knows together
}

void meet(Warp &warp) {
  if (warp.view.lanes)
    join(warp.clock, std::exchange(warp.view, {}).clock);
  noteReturn(warp, warp.clock);
  ++warp.clock[warp.agent];
}

void releaseAt(Warp &warp, uint32_t lanes, uint64_t place, bool isRelaxed) {
  if (warp.clock.empty())
    return;
  Clock &known = (*warp.block->places)[place];
  if (!isRelaxed)
    return tell(warp, lanes, known);
  if (lanes & warp.fenced.lanes)
    publish(warp, lanes, warp.fenced.clock, known);
}

void acquireAt(Warp &warp, uint32_t lanes, uint64_t place, bool isRelaxed) {
  if (warp.clock.empty())
    return;
  const auto found = warp.block->places->find(place);
  if (found == warp.block->places->end())
    return;
  if (!isRelaxed)
    return learn(warp, lanes, found->second);
  warp.unfenced.lanes |= lanes;
  join(warp.unfenced.clock, found->second);
}

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
  if (warp.clock.empty())
    return;
  if (fence.acquires && (warp.unfenced.lanes & mask)) {
    learn(warp, warp.unfenced.lanes & mask, warp.unfenced.clock);
    warp.unfenced.lanes &= ~mask;
    if (!warp.unfenced.lanes)
      warp.unfenced.clock.clear();
  }
  if (!fence.releases)
    return;
  warp.fenced.lanes |= mask;
  join(warp.fenced.clock, warp.clock);
  if (mask & warp.view.lanes)
    join(warp.fenced.clock, warp.view.clock);
  ++warp.clock[warp.agent];
}

void meetReads(char *, const Op &, uint32_t mask, Warp &warp) {
  if (warp.clock.empty() || !warp.hasRead || !areAll(warp, mask))
    return;
  warp.hasRead = false;
  warp.readsTogether = warp.clock[warp.agent]++;
}

void meetLanes(char *, const Op &, uint32_t, Warp &warp) {
  settleAll(warp);
  if (!warp.clock.empty())
    meet(warp);
}

} // namespace ptxray::machine
