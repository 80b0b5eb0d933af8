#include "Observe/Races.h"
#include "Observe/Order.h"
#include "Observe/RaceState.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

namespace ptxray::machine {

static uint32_t maskOf(uint8_t bytes) {
  return (bytes & 1 ? 0xffu : 0) | (bytes & 2 ? 0xff00u : 0) | (bytes & 4 ? 0xff0000u : 0) |
         (bytes & 8 ? 0xff000000u : 0);
}

/// Returns whether one lane made both accesses to the bytes that they share.
static bool areOfOneLane(const PastAccess &access, const PastAccess &now) {
  const uint32_t mask = maskOf(access.bytes & now.bytes);
  if (!((access.lanes ^ now.lanes) & mask) && !(access.lanes & manyOfEach & mask))
    return true;
  for (unsigned byte = 0; byte < bytesOfCell; ++byte) {
    const uint32_t one = access.lanes >> 8 * byte & 0xff, other = now.lanes >> 8 * byte & 0xff;
    if (mask >> 8 * byte & 1 && one != wholeWarp && other != wholeWarp && (one != other || one == manyLanes))
      return false;
  }
  return true;
}

/// Returns whether the lanes of the access have seen the earlier access, although their warp as a whole has not.
static bool isSeenByLanes(const PastAccess &access, const PastAccess &now, const Warp &warp) {
  const RaceWarp &race = raceOf(warp);
  const bool hasView = race.view.lanes && !(race.accessing & ~race.view.lanes);
  if (hasView && entryOf(race.view.clock, access.warp) >= access.clock)
    return true;
  const Agents &agents = *warp.block->agents;
  if (access.warp > agents.warps)
    return false;
  PastAccess lane = now;
  const auto isLane = [&](const Clock &clock) {
    const LaneCount known = LaneCount::of(entryOf(clock, agents.lane(access.warp)));
    lane.lanes = known.lane * 0x01010101u;
    return known.count >= access.clock && areOfOneLane(access, lane);
  };
  return isLane(race.clock) || (hasView && isLane(race.view.clock));
}

static bool isBefore(const PastAccess &access, const PastAccess &now, const Warp &warp, bool isRead = false) {
  const RaceWarp &race = raceOf(warp);
  if (access.warp == 0 || (warp.doer.isOrdered && access.warp == warp.doer.agent))
    return true;
  if (access.warp == race.agent)
    return access.clock <= race.together || (isRead && access.clock <= race.readsTogether) ||
           areOfOneLane(access, now) || (access.turn == now.turn && access.at == now.at) ||
           isSeenByLanes(access, now, warp);
  if (entryOf(race.clock, access.warp) < access.clock)
    return isSeenByLanes(access, now, warp);
  const uint32_t engine = access.warp - warp.block->agents->engine(race.agent, 0);
  return engine >= warp.block->agents->engines || areOfOneLane(access, now) ||
         (engine < race.enginesTogether.size() && access.clock <= race.enginesTogether[engine]);
}

/// Returns whether the warp and all of its lanes know that an operation of an engine is complete.
static bool isComplete(uint32_t agent, uint32_t clock, const Warp &warp) {
  const RaceWarp &race = raceOf(warp);
  const Agents &agents = *warp.block->agents;
  if (agent <= agents.warps || entryOf(race.clock, agent) < clock)
    return false;
  const uint32_t engine = agent - agents.engine(race.agent, 0);
  return engine >= agents.engines || (engine < race.enginesTogether.size() && clock <= race.enginesTogether[engine]);
}

static bool conflicts(const PastAccess &access, const PastAccess &now, const Warp &warp) {
  return (access.bytes & now.bytes) && !(access.isStrong && now.isStrong) && !isBefore(access, now, warp);
}

/// Returns the lanes of both accesses. If they differ, returns `otherwise`.
static uint32_t joinedLanes(const PastAccess &last, const PastAccess &now, uint32_t otherwise) {
  const uint32_t before = maskOf(last.bytes), after = maskOf(now.bytes);
  uint32_t lanes = (last.lanes & before & ~after) | (now.lanes & after);
  for (unsigned byte = 0; byte < bytesOfCell; ++byte) {
    const uint32_t mask = 0xffu << 8 * byte;
    if (before & after & mask && (last.lanes ^ now.lanes) & mask)
      lanes = (lanes & ~mask) | (otherwise & mask);
  }
  return lanes;
}

/// Keeps writes to other bytes in addition to the current one.
static void keepWrites(Cell &cell, size_t index, const PastAccess &now, SharedShadow &shadow) {
  std::vector<PastAccess> &others = shadow.moreWrites[index];
  others.push_back(cell.write);
  for (PastAccess &one : others)
    one.bytes &= static_cast<uint8_t>(~now.bytes);
  llvm::erase_if(others, [](const PastAccess &one) { return !one.bytes; });
  cell.hasMoreWrites = !others.empty();
  if (!cell.hasMoreWrites)
    shadow.moreWrites.erase(index);
}

static void note(Cell &cell, size_t index, const PastAccess &now, SharedShadow &shadow) {
  PastAccess &last = cell.write;
  const bool isSame = last.warp == now.warp && last.clock == now.clock && last.isStrong == now.isStrong;
  PastAccess joined = now;
  if (isSame) {
    joined.bytes |= last.bytes;
    joined.lanes = (last.lanes & ~maskOf(now.bytes)) | (now.lanes & maskOf(now.bytes));
  }
  if (cell.hasMoreWrites || (last.bytes & ~joined.bytes))
    keepWrites(cell, index, joined, shadow);
  last = joined;
}

static uint64_t bitOf(uint32_t agent, const Warp &warp) {
  const uint32_t reader = warp.block->agents->readerOf(agent);
  return reader < 64 ? uint64_t(1) << reader : 0;
}

/// Returns the read of the group that did not happen before the access of the warp. If there is none, its `warp` is 0.
static PastAccess unordered(const ReadGroup &group, const PastAccess &now, const Warp &warp) {
  PastAccess one = group.last;
  if (!group.warps)
    return isBefore(one, now, warp, /*isRead=*/true) ? PastAccess() : one;
  for (uint64_t left = group.warps; left; left &= left - 1) {
    one.warp = warp.block->agents->ofReader(static_cast<uint32_t>(__builtin_ctzll(left)));
    if (!isBefore(one, now, warp, /*isRead=*/true))
      return one;
  }
  return {};
}

bool isUnfenced(uint32_t writer, uint32_t clock, const Warp &warp) {
  const RaceWarp &race = raceOf(warp);
  const Agents &agents = *warp.block->agents;
  if (!warp.doer.isAsyncProxy || writer == 0 || writer > agents.warps)
    return false;
  const uint32_t entry = agents.fenced(writer);
  return std::max(entryOf(race.clock, entry), entryOf(race.view.clock, entry)) < clock;
}

/// Keeps a group of reads in addition to the newest one.
static void keep(Cell &cell, size_t index, SharedShadow &shadow) {
  cell.hasMoreReads = true;
  std::vector<ReadGroup> &groups = shadow.moreReads[index];
  const ReadGroup &group = cell.reads;
  for (ReadGroup &one : groups)
    if (one.warps == group.warps && one.last.warp == group.last.warp && one.last.lanes == group.last.lanes &&
        one.last.bytes == group.last.bytes) {
      one = group;
      return;
    }
  groups.push_back(group);
}

/// Returns the race of a read with a write, if there is one.
static std::optional<Race> raceOfRead(const PastAccess &write, const PastAccess &now, const Warp &warp) {
  // An address that an allocation has written is not an operand. An operation that reads it needs bytes which something
  // else has written, and an order does not change that.
  if (warp.doer.isAsyncProxy && write.isAllocation)
    return {};
  if (conflicts(write, now, warp))
    return Race{write, true};
  if ((write.bytes & now.bytes) && isUnfenced(write.warp, write.clock, warp))
    return Race{.earlier = write, .isWrite = true, .isUnfenced = true};
  return {};
}

static std::optional<Race> noteRead(Cell &cell, size_t index, const PastAccess &now, SharedShadow &shadow, Warp &warp) {
  raceOf(warp).hasRead = true;
  if (std::optional<Race> race = raceOfRead(cell.write, now, warp))
    return race;
  if (cell.hasMoreWrites)
    for (const PastAccess &write : shadow.moreWrites[index])
      if (std::optional<Race> race = raceOfRead(write, now, warp))
        return race;
  ReadGroup &group = cell.reads;
  const uint64_t bit = bitOf(now.warp, warp);
  const bool isAlone = group.last.warp == now.warp && !(group.warps & ~bit);
  const bool isSameTime = group.last.clock == now.clock;
  if (isAlone && (isSameTime || (group.last.bytes == now.bytes && !isBefore(group.last, now, warp, /*isRead=*/true)))) {
    // The warp also reads other bytes, or with other lanes.
    group.last.lanes = joinedLanes(group.last, now, manyOfEach);
    group.last.bytes |= now.bytes;
    group.last.clock = now.clock;
    return {};
  }
  const bool isSame =
      isSameTime && group.last.bytes == now.bytes && (group.last.warp == now.warp || (group.warps && bit));
  if (!isSame && unordered(group, now, warp).warp)
    keep(cell, index, shadow);
  PastAccess last = now;
  if (isSame)
    last.lanes = joinedLanes(group.last, now, byWholeWarp);
  else
    group.warps = 0;
  group.warps |= bit;
  group.last = last;
  return {};
}

static std::optional<Race> noteWrite(Cell &cell, size_t index, const PastAccess &now, SharedShadow &shadow,
                                     const Warp &warp) {
  if (conflicts(cell.write, now, warp))
    return Race{cell.write, true};
  if (cell.hasMoreWrites)
    for (const PastAccess &write : shadow.moreWrites[index])
      if (conflicts(write, now, warp))
        return Race{write, true};
  const auto raced = [&](const ReadGroup &group) {
    return group.last.bytes & now.bytes ? unordered(group, now, warp) : PastAccess();
  };
  if (const PastAccess read = raced(cell.reads); read.warp)
    return Race{read, false};
  if (cell.hasMoreReads) {
    for (const ReadGroup &group : shadow.moreReads[index])
      if (const PastAccess read = raced(group); read.warp)
        return Race{read, false};
    shadow.moreReads.erase(index);
    cell.hasMoreReads = false;
  }
  note(cell, index, now, shadow);
  return {};
}

static PastAccess accessNow(const Warp &warp, const Instruction &at) {
  const RaceWarp &race = raceOf(warp);
  PastAccess now;
  now.warp = warp.doer.agent ? warp.doer.agent : race.agent;
  now.clock = warp.doer.agent ? warp.doer.clock : race.clock[race.agent];
  now.turn = race.turn;
  now.isStrong = warp.doer.isStrong;
  now.isAllocation = warp.doer.isAllocation;
  now.at = &at;
  return now;
}

/// Returns the lanes for the bytes of a cell, from a byte of the access on.
static uint32_t lanesAt(const AccessLanes &by, uint64_t from, unsigned first, unsigned count) {
  if (!by.lanes)
    return byWholeWarp;
  if (by.shift >= 2 || count == 1)
    return by.lanes[from >> by.shift] * 0x01010101u;
  uint32_t lanes = 0;
  for (unsigned i = 0; i < count; ++i)
    lanes |= static_cast<uint32_t>(by.lanes[(from + i) >> by.shift]) << 8 * (first + i);
  return lanes;
}

static const Instruction *instructionsOf(const Warp &warp) {
  return warp.block->grid->program.module->ast().instructions.data();
}

/// Records the access to a cell.
static std::optional<Race> note(SharedShadow &shadow, size_t index, const PastAccess &now, bool isWrite, Warp &warp) {
  Cell cell = shadow.read(index);
  std::optional<Race> race =
      isWrite ? noteWrite(cell, index, now, shadow, warp) : noteRead(cell, index, now, shadow, warp);
  if (!race)
    shadow.write(index, cell);
  if (!race && isWrite)
    shadow.latestWrite = std::max(shadow.latestWrite, now.warp <= warp.block->agents->warps ? now.clock : ~0u);
  return race;
}

std::optional<Race> noteTensorAccess(Warp &warp, const Instruction &at, BlockState &owner, uint32_t column,
                                     uint8_t lanes, bool isWrite) {
  SharedShadow &shadow = raceOf(owner).tensorShadow;
  PastAccess now = accessNow(warp, at);
  now.bytes = lanes;
  if (shadow.size() <= column)
    shadow.grow(column + 1, instructionsOf(warp));
  std::optional<Race> race = note(shadow, column, now, isWrite, warp);
  if (race)
    race->isTensor = true;
  return race;
}

/// Records the access as a whole, if it covers whole cells and certainly races with nothing.
static bool isNotedAtOnce(SharedShadow &shadow, const PastAccess &now, const SharedAccess &access, const Warp &warp,
                          uint32_t horizon) {
  const size_t count = access.bytes / bytesOfCell;
  if ((warp.doer.agent && !access.isWrite) || (access.offset | access.bytes) % bytesOfCell ||
      count > SharedShadow::mostOfRow)
    return false;
  uint32_t lanes[SharedShadow::mostOfRow];
  const bool areKnown = access.by.ofCells && access.by.shift == 2;
  for (size_t i = 0; !areKnown && i < count; ++i)
    lanes[i] = lanesAt(access.by, i * bytesOfCell, 0, bytesOfCell);
  RowAccess row{.first = static_cast<size_t>(access.offset / bytesOfCell),
                .count = count,
                .lanes = areKnown ? access.by.ofCells : lanes,
                .now = now,
                .isWrite = access.isWrite,
                .horizon = horizon,
                .warps = warp.block->agents->warps,
                .sameLanes = warp.doer.agent ? ~0u : now.warp};
  row.now.bytes = (1u << bytesOfCell) - 1;
  return shadow.noteRow(row, [&](uint32_t agent, uint32_t clock) { return isComplete(agent, clock, warp); });
}

/// Returns up to which count of releases everything of every warp happened before the access of the warp, and is
/// visible to its proxy.
static uint32_t seenHorizon(const Warp &warp) {
  const RaceWarp &race = raceOf(warp);
  const Agents &agents = *warp.block->agents;
  uint32_t horizon = race.horizon;
  for (uint32_t one = 1; warp.doer.isAsyncProxy && one <= agents.warps; ++one)
    horizon = std::min(horizon, entryOf(race.clock, agents.fenced(one)));
  return horizon;
}

/// Returns how many whole cells from here on have the same state for the access as the first one, so that its update
/// can be repeated.
static size_t alikeFrom(const SharedShadow &shadow, const SharedAccess &access, uint64_t from, const Warp &warp) {
  const bool areSameLanes = !access.by.lanes || access.by.shift == allOfLane;
  const size_t whole = from % bytesOfCell ? 0 : (access.offset + access.bytes - from) / bytesOfCell,
               count = whole >= SharedShadow::manyCells  ? SharedShadow::manyCells
                       : whole >= SharedShadow::fewCells ? SharedShadow::fewCells
                                                         : 1,
               index = from / bytesOfCell;
  if (count == 1 || !areSameLanes || !shadow.areReadsSame(index, count))
    return 1;
  const bool areAlike =
      shadow.areWritesSame(index, count) ||
      (!access.isWrite && shadow.areWritesBefore(index, count, seenHorizon(warp), warp.block->agents->warps));
  return areAlike ? count : 1;
}

/// Returns whether all writes to the cells happened before the access of the warp, and are visible to its proxy.
static bool areWritesSeen(const Warp &warp, const SharedShadow &shadow, llvm::ArrayRef<ByteRun> runs) {
  const uint32_t horizon = seenHorizon(warp), warps = warp.block->agents->warps;
  return shadow.areWritesBefore(runs, horizon, warps) ||
         shadow.areWritesKnown(runs, horizon, warps,
                               [&](uint32_t agent, uint32_t clock) { return isComplete(agent, clock, warp); });
}

bool areNotedAlike(Warp &warp, const Instruction &at, BlockState &owner, llvm::ArrayRef<ByteRun> runs, bool isWrite) {
  SharedShadow &shadow = raceOf(owner).shadow;
  const auto isWhole = [](const ByteRun &run) { return (run.begin | run.end) % bytesOfCell == 0; };
  noteLateReads(owner);
  if (runs.empty() || !llvm::all_of(runs, isWhole) || !shadow.areReadsSame(runs))
    return false;
  const bool areAlike = shadow.areWritesSame(runs) || (!isWrite && areWritesSeen(warp, shadow, runs));
  PastAccess now = accessNow(warp, at);
  now.bytes = (1u << bytesOfCell) - 1;
  raceOf(warp).hasRead |= !isWrite;
  const size_t first = runs[0].begin / bytesOfCell;
  if (!areAlike || note(shadow, first, now, isWrite, warp) || shadow.hasMoreReads(first))
    return false;
  shadow.repeat(runs, isWrite);
  return true;
}

static std::optional<Race> noteAll(Warp &warp, PastAccess now, uint32_t horizon, BlockState &owner,
                                   const SharedAccess &access) {
  SharedShadow &shadow = raceOf(owner).shadow;
  if (isNotedAtOnce(shadow, now, access, warp, horizon))
    return {};
  const uint64_t end = access.offset + access.bytes;
  for (uint64_t from = access.offset; from < end;) {
    const size_t index = from / bytesOfCell;
    const unsigned first = from % bytesOfCell,
                   count = static_cast<unsigned>(std::min<uint64_t>(bytesOfCell - first, end - from));
    now.bytes = static_cast<uint8_t>(((1u << count) - 1) << first);
    now.lanes = lanesAt(access.by, from - access.offset, first, count);
    const size_t others = alikeFrom(shadow, access, from, warp) - 1;
    if (std::optional<Race> race = note(shadow, index, now, access.isWrite, warp))
      return race;
    from += count;
    if (!others || shadow.hasMoreReads(index))
      continue;
    shadow.repeat(index + 1, others, access.isWrite);
    from += others * bytesOfCell;
  }
  return {};
}

bool isRowNoted(Warp &warp, const Instruction &at, BlockState &owner, uint64_t offset, size_t cells,
                const uint32_t *lanes, bool isWrite) {
  if ((warp.doer.agent && !isWrite) || warp.doer.isStrong || warp.doer.isAllocation)
    return false;
  RaceWarp &race = raceOf(warp);
  race.hasRead |= !isWrite;
  noteLateReads(owner);
  RowAccess row{.first = static_cast<size_t>(offset / bytesOfCell),
                .count = cells,
                .lanes = lanes,
                .now = accessNow(warp, at),
                .isWrite = isWrite,
                .horizon = race.horizon,
                .warps = warp.block->agents->warps,
                .sameLanes = warp.doer.agent ? ~0u : race.agent};
  row.now.bytes = (1u << bytesOfCell) - 1;
  return raceOf(owner).shadow.noteRow(row,
                                      [&](uint32_t agent, uint32_t clock) { return isComplete(agent, clock, warp); });
}

std::optional<Race> noteAccess(Warp &warp, const Instruction &at, BlockState &owner, const SharedAccess &access) {
  RaceWarp &race = raceOf(warp);
  PastAccess now = accessNow(warp, at);
  now.isStrong |= access.isStrong;
  race.hasRead |= !access.isWrite;
  noteLateReads(owner);
  return noteAll(warp, now, race.horizon, owner, access);
}

void noteLateReads(BlockState &owner) {
  if (raceOf(owner).shadow.lateReads.empty())
    return;
  for (const LateRead &one : std::exchange(raceOf(owner).shadow.lateReads, {})) {
    Warp &warp = *one.reader;
    const Doer doer = std::exchange(warp.doer, {});
    const uint32_t accessing = std::exchange(raceOf(warp).accessing, allLanes);
    PastAccess then;
    then.warp = raceOf(warp).agent;
    then.clock = one.clock;
    then.turn = one.turn;
    then.at = one.at;
    const LaneShape &shape = *one.shape;
    const auto shift = static_cast<unsigned>(__builtin_ctz(shape.bytes));
    for (unsigned i = 0; i < shape.runs; ++i) {
      const LaneShape::Run &run = shape.run[i];
      noteAll(warp, then, one.horizon, owner,
              {one.offset + static_cast<uint64_t>(run.at - shape.low),
               size_t(run.elements) * shape.bytes,
               false,
               {shape.lanes.data() + run.first, shift, shape.lanesOfCells.data() + run.first}});
    }
    warp.doer = doer;
    raceOf(warp).accessing = accessing;
  }
}

void dropKnown(BlockState &owner) {
  std::vector<LateRead> &reads = raceOf(owner).shadow.lateReads;
  if (reads.empty() && raceOf(owner).shadow.moreWrites.empty())
    return;
  uint32_t known = ~0u;
  for (const BlockState *block : owner.cluster)
    for (const Warp &warp : block->warps)
      if (!warp.isDone())
        known = std::min(known, raceOf(warp).horizon);
  if (llvm::all_of(reads, [known](const LateRead &one) { return one.clock <= known; }))
    reads.clear();
  raceOf(owner).shadow.dropMoreWrites(known, owner.agents->warps);
}

} // namespace ptxray::machine
