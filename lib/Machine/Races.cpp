#include "Machine/Races.h"
#include "Machine/Grid.h"
#include <algorithm>

namespace ptxray::machine {

void join(Clock &into, const Clock &other) {
  into.resize(std::max(into.size(), other.size()));
  for (size_t i = 0; i < other.size(); ++i)
    into[i] = std::max(into[i], other[i]);
}

static bool isBefore(const PastAccess &access, const Warp &warp) {
  return access.warp == 0 || access.warp == warp.agent || (warp.doer.isOrdered && access.warp == warp.doer.agent) ||
         (access.warp < warp.clock.size() && warp.clock[access.warp] >= access.clock);
}

static bool conflicts(const PastAccess &access, const PastAccess &now, const Warp &warp) {
  return (access.bytes & now.bytes) && !isBefore(access, warp);
}

static void note(PastAccess &last, const PastAccess &now) {
  const bool isSame = last.warp == now.warp && last.clock == now.clock;
  const uint8_t before = isSame ? last.bytes : 0;
  last = now;
  last.bytes |= before;
}

static uint64_t bitOf(uint32_t agent) { return agent < 64 ? uint64_t(1) << agent : 0; }

/// The read of the group that is not before what the warp does now; none: `warp` is 0.
static PastAccess unordered(const ReadGroup &group, const Warp &warp) {
  PastAccess one = group.last;
  if (!group.warps)
    return isBefore(one, warp) ? PastAccess() : one;
  for (uint64_t left = group.warps; left; left &= left - 1) {
    one.warp = static_cast<uint32_t>(__builtin_ctzll(left));
    if (!isBefore(one, warp))
      return one;
  }
  return {};
}

/// The async proxy does not see what a warp wrote before a fence for proxies.
static bool isUnfenced(const PastAccess &write, const PastAccess &now, const Warp &warp) {
  const Agents &agents = *warp.block->agents;
  if (!(write.bytes & now.bytes) || write.warp == 0 || write.warp > agents.warps)
    return false;
  const uint32_t entry = agents.fenced(write.warp);
  return entry >= warp.clock.size() || warp.clock[entry] < write.clock;
}

static Race noteRead(Cell &cell, size_t index, const PastAccess &now, SharedShadow &shadow, const Warp &warp) {
  if (conflicts(cell.write, now, warp))
    return {cell.write, true};
  if (warp.doer.isAsyncProxy && isUnfenced(cell.write, now, warp))
    return {.earlier = cell.write, .isWrite = true, .isUnfenced = true};
  ReadGroup &group = cell.reads;
  const bool isAlone = group.last.warp == now.warp && !(group.warps & ~bitOf(now.warp));
  if (isAlone && group.last.clock == now.clock) { // the warp reads other bytes, too
    group.last.bytes |= now.bytes;
    return {};
  }
  const bool isSame = group.last.clock == now.clock && group.last.bytes == now.bytes &&
                      (group.last.warp == now.warp || (group.warps && now.warp < 64));
  if (!isSame && unordered(group, warp).warp) {
    cell.hasMoreReads = true;
    shadow.moreReads[index].push_back(group);
  }
  if (!isSame)
    group.warps = 0;
  group.warps |= bitOf(now.warp);
  group.last = now;
  return {};
}

static Race noteWrite(Cell &cell, size_t index, const PastAccess &now, SharedShadow &shadow, const Warp &warp) {
  if (conflicts(cell.write, now, warp))
    return {cell.write, true};
  const auto raced = [&](const ReadGroup &group) {
    return group.last.bytes & now.bytes ? unordered(group, warp) : PastAccess();
  };
  if (const PastAccess read = raced(cell.reads); read.warp)
    return {read, false};
  if (cell.hasMoreReads) {
    for (const ReadGroup &group : shadow.moreReads[index])
      if (const PastAccess read = raced(group); read.warp)
        return {read, false};
    shadow.moreReads.erase(index);
    cell.hasMoreReads = false;
  }
  note(cell.write, now);
  return {};
}

static PastAccess accessNow(const Warp &warp, const Instruction &at) {
  if (warp.doer.agent)
    return {warp.doer.agent, warp.doer.clock, 0, &at};
  return {warp.agent, warp.clock[warp.agent], 0, &at};
}

Race noteTensorAccess(Warp &warp, const Instruction &at, BlockState &owner, uint32_t column, uint8_t lanes,
                      bool isWrite) {
  SharedShadow &shadow = owner.tensorShadow;
  PastAccess now = accessNow(warp, at);
  now.bytes = lanes;
  if (shadow.cells.size() <= column)
    shadow.cells.resize(column + 1);
  Cell &cell = shadow.cells[column];
  Race race = isWrite ? noteWrite(cell, column, now, shadow, warp) : noteRead(cell, column, now, shadow, warp);
  race.isTensor = race.earlier.warp;
  return race;
}

Race noteAccess(Warp &warp, const Instruction &at, BlockState &owner, uint64_t offset, uint64_t bytes, bool isWrite) {
  SharedShadow &shadow = owner.shadow;
  PastAccess now = accessNow(warp, at);
  for (uint64_t from = offset; from < offset + bytes;) {
    const size_t index = from / 4;
    const unsigned first = from % 4,
                   count = static_cast<unsigned>(std::min<uint64_t>(4 - first, offset + bytes - from));
    now.bytes = static_cast<uint8_t>(((1u << count) - 1) << first);
    Cell &cell = shadow.cells[index];
    const Race race = isWrite ? noteWrite(cell, index, now, shadow, warp) : noteRead(cell, index, now, shadow, warp);
    if (race.earlier.warp)
      return race;
    from += count;
  }
  return {};
}

void releaseAt(Warp &warp, uint64_t place) {
  if (warp.clock.empty())
    return;
  join((*warp.block->places)[place], warp.clock);
  ++warp.clock[warp.agent];
}

void acquireAt(Warp &warp, uint64_t place) {
  if (warp.clock.empty())
    return;
  if (const auto found = warp.block->places->find(place); found != warp.block->places->end())
    join(warp.clock, found->second);
}

} // namespace ptxray::machine
