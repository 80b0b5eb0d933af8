#include "Observe/Order.h"
#include "Machine/Grid.h"
#include "Machine/Wide.h"
#include "Observe/RaceState.h"
#include <algorithm>

namespace ptxray::machine {

uint32_t entryOf(const Clock &clock, uint32_t entry) { return entry < clock.size() ? clock[entry] : 0; }

void raiseEntry(Clock &clock, uint32_t entry, uint32_t to) {
  if (clock.size() <= entry)
    clock.resize(entry + 1);
  clock[entry] = std::max(clock[entry], to);
}

/// Joins the entry for a single lane into a clock. An entry distinguishes one lane of a warp. If two lanes would have
/// to be distinguished, all lanes count as known.
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
  const RaceWarp &race = raceOf(warp);
  if (lanes & race.view.lanes)
    join(to, race.view.clock);
  const uint32_t own = entryOf(known, race.agent);
  if (areAll(warp, lanes) || (lanes & (lanes - 1)) || own <= race.together)
    return join(to, known);
  Clock mine = known;
  mine[race.agent] = race.together;
  const LaneCount count{own, static_cast<uint32_t>(__builtin_ctz(lanes))};
  const uint32_t entry = warp.block->agents->lane(race.agent);
  raiseEntry(mine, entry, 0);
  joinLane(mine, race.agent, entry, count.entry());
  join(to, mine);
}

void tell(Warp &warp, uint32_t lanes, Clock &to) {
  RaceWarp &race = raceOf(warp);
  publish(warp, lanes, race.clock, to);
  ++race.clock[race.agent];
}

/// Records that all lanes have seen everything that returned to the warp through others.
static void noteReturn(Warp &warp, const Clock &what) {
  RaceWarp &race = raceOf(warp);
  race.together = std::max(race.together, entryOf(what, race.agent));
  const Agents &agents = *warp.block->agents;
  if (what.size() <= agents.engine(1, 0)) // no knowledge of engines
    return;
  race.enginesTogether.resize(agents.engines);
  for (uint32_t engine = 0; engine < agents.engines; ++engine) {
    uint32_t &seen = race.enginesTogether[engine];
    seen = std::max(seen, entryOf(what, agents.engine(race.agent, engine)));
  }
}

void learn(Warp &warp, uint32_t lanes, const Clock &what) {
  RaceWarp &race = raceOf(warp);
  noteReturn(warp, what);
  LaneView &view = race.view;
  if (!areAll(warp, lanes | view.lanes)) {
    view.lanes |= lanes;
    return join(view.clock, what);
  }
  join(race.clock, what);
  if (view.lanes && !areAll(warp, lanes)) {
    join(race.clock, view.clock);
    view = {};
  }
}

void learnEntry(Warp &warp, uint32_t lanes, uint32_t entry, uint32_t to) {
  RaceWarp &race = raceOf(warp);
  if (areAll(warp, lanes))
    return raiseEntry(race.clock, entry, to);
  race.view.lanes |= lanes;
  raiseEntry(race.view.clock, 0, race.clock[0]);
  raiseEntry(race.view.clock, entry, to);
}

static PTXRAY_INLINE uint32_t leastOf(const uint32_t *entries, size_t count) {
  uint32_t least = ~0u;
  for (size_t i = 0; i < count; ++i)
    least = std::min(least, entries[i]);
  return least;
}
static PTXRAY_FOR_AVX2 uint32_t leastOfWide(const uint32_t *entries, size_t count) { return leastOf(entries, count); }

void raiseHorizon(Warp &warp) {
  RaceWarp &race = raceOf(warp);
  const size_t warps = warp.block->agents->warps;
  const uint32_t others = race.clock.size() > warps ? (isWide() ? leastOfWide : leastOf)(&race.clock[1], warps) : 0;
  race.horizon = std::min(race.together, others); // its own count is at least the count that it knows for all lanes
}

void meet(Warp &warp) {
  RaceWarp &race = raceOf(warp);
  if (race.view.lanes)
    join(race.clock, std::exchange(race.view, {}).clock);
  noteReturn(warp, race.clock);
  ++race.clock[race.agent];
}

void releaseAt(Warp &warp, uint32_t lanes, uint64_t place, bool isRelaxed) {
  RaceWarp &race = raceOf(warp);
  Clock &known = race.cluster->places[place];
  if (!isRelaxed)
    return tell(warp, lanes, known);
  if (lanes & race.fenced.lanes)
    publish(warp, lanes, race.fenced.clock, known);
}

void acquireAt(Warp &warp, uint32_t lanes, uint64_t place, bool isRelaxed) {
  RaceWarp &race = raceOf(warp);
  const auto found = race.cluster->places.find(place);
  if (found == race.cluster->places.end())
    return;
  if (!isRelaxed)
    return learn(warp, lanes, found->second);
  race.unfenced.lanes |= lanes;
  join(race.unfenced.clock, found->second);
}

void orderByFence(Warp &warp, uint32_t mask, const Fence &fence) {
  RaceWarp &race = raceOf(warp);
  const Agents &agents = *warp.block->agents;
  if (fence.of == Fence::Of::Proxies) {
    const bool hasView = mask & race.view.lanes;
    for (uint32_t one = 1; one <= agents.warps; ++one)
      raiseEntry(race.clock, agents.fenced(one),
                 std::max(race.clock[one], hasView ? entryOf(race.view.clock, one) : 0));
    ++race.clock[race.agent];
    return;
  }
  if (fence.of == Fence::Of::Objects) {
    raiseEntry(race.clock, agents.made(race.agent), race.clock[race.agent]);
    ++race.clock[race.agent];
    return;
  }
  if (fence.acquires && (race.unfenced.lanes & mask)) {
    learn(warp, race.unfenced.lanes & mask, race.unfenced.clock);
    race.unfenced.lanes &= ~mask;
    if (!race.unfenced.lanes)
      race.unfenced.clock.clear();
  }
  if (!fence.releases)
    return;
  race.fenced.lanes |= mask;
  join(race.fenced.clock, race.clock);
  if (mask & race.view.lanes)
    join(race.fenced.clock, race.view.clock);
  ++race.clock[race.agent];
}

void orderReads(Warp &warp, uint32_t mask) {
  RaceWarp &race = raceOf(warp);
  if (!race.hasRead || !areAll(warp, mask))
    return;
  race.hasRead = false;
  race.readsTogether = race.clock[race.agent]++;
}

} // namespace ptxray::machine
