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
  return access.warp == 0 || access.warp == warp.agent ||
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

static Race noteRead(Cell &cell, size_t index, const PastAccess &now, SharedShadow &shadow, const Warp &warp) {
  if (conflicts(cell.write, now, warp))
    return {cell.write, true};
  if (!isBefore(cell.read, warp)) { // several warps read it at the same time
    cell.hasMoreReads = true;
    std::vector<PastAccess> &more = shadow.moreReads[index];
    const auto same = std::ranges::find(more, cell.read.warp, &PastAccess::warp);
    if (same == more.end())
      more.push_back(cell.read);
    else
      *same = cell.read;
  }
  note(cell.read, now);
  return {};
}

static Race noteWrite(Cell &cell, size_t index, const PastAccess &now, SharedShadow &shadow, const Warp &warp) {
  if (conflicts(cell.write, now, warp))
    return {cell.write, true};
  if (conflicts(cell.read, now, warp))
    return {cell.read, false};
  if (cell.hasMoreReads) {
    for (const PastAccess &read : shadow.moreReads[index])
      if (conflicts(read, now, warp))
        return {read, false};
    shadow.moreReads.erase(index);
    cell.hasMoreReads = false;
  }
  note(cell.write, now);
  return {};
}

Race noteAccess(Warp &warp, const Instruction &at, BlockState &owner, uint64_t offset, uint64_t bytes, bool isWrite) {
  SharedShadow &shadow = owner.shadow;
  PastAccess now{warp.agent, warp.clock[warp.agent], 0, &at};
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
