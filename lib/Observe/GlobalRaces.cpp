#include "Observe/GlobalRaces.h"
#include "Machine/Wide.h"
#include "Observe/Order.h"
#include "Observe/RaceState.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray::machine {

using Content = GlobalContent;
using State = Content::State;

constexpr unsigned bitsOfAgent = 12, bitsOfClock = 20, laneAt = 24, launchAt = 3;
constexpr uint64_t launchMask = mostLaunches << launchAt;
constexpr uint64_t laneMask = 0x7f, othersMask = uint64_t(1) << 31;

/// Returns nothing if another core is writing the cell, or if it has no access of this launch.
static Content read(const GlobalCell &cell, uint32_t launch) {
  const uint64_t who = cell.who.load(std::memory_order_acquire);
  const uint64_t when = cell.when.load(std::memory_order_acquire);
  if ((who & launchMask) != uint64_t(launch) << launchAt || cell.who.load(std::memory_order_relaxed) != who)
    return {};
  Content content;
  content.state = static_cast<State>(who & 7);
  content.bytes = static_cast<uint16_t>(who >> 8);
  content.lane = static_cast<uint8_t>(who >> laneAt & laneMask);
  content.hasOthers = who & othersMask;
  content.cluster = static_cast<uint32_t>(who >> 32);
  content.agent = static_cast<uint32_t>(when & ((1u << bitsOfAgent) - 1));
  content.clock = static_cast<uint32_t>(when >> bitsOfAgent & ((1u << bitsOfClock) - 1));
  content.instruction = static_cast<uint32_t>(when >> 32);
  return content;
}

static uint64_t whoOf(const Content &content, uint32_t launch) {
  return static_cast<uint64_t>(content.state) | uint64_t(launch) << launchAt | uint64_t(content.bytes) << 8 |
         uint64_t(content.lane) << laneAt | (content.hasOthers ? othersMask : 0) | uint64_t(content.cluster) << 32;
}
static uint64_t whenOf(const Content &content) {
  return content.agent | uint64_t(content.clock) << bitsOfAgent | uint64_t(content.instruction) << 32;
}

static void write(GlobalCell &cell, const Content &content, uint32_t launch) {
  const uint64_t who = whoOf(content, launch), when = whenOf(content);
  if (cell.when.load(std::memory_order_relaxed) == when && cell.who.load(std::memory_order_relaxed) == who)
    return;
  cell.who.store(0, std::memory_order_relaxed);
  cell.when.store(when, std::memory_order_release);
  cell.who.store(who, std::memory_order_release);
}

static bool isWritten(State state) { return state == State::Written || state == State::WrittenStrongly; }

/// Returns whether the access of the agent, which is in the same cluster, happened before that of the warp.
static bool isSeen(const Content &before, const Content &now, const Warp &warp) {
  const RaceWarp &race = raceOf(warp);
  const Agents &agents = *warp.block->agents;
  if (before.agent == race.agent) {
    const LaneCount told = LaneCount::of(entryOf(race.clock, agents.lane(race.agent)));
    return before.clock <= race.together || before.lane == wholeWarp || now.lane == wholeWarp ||
           (before.lane == now.lane && now.lane != manyLanes) || before.instruction == now.instruction ||
           (told.lane == before.lane && told.count >= before.clock);
  }
  const auto isKnown = [&](const Clock &clock) {
    const bool isWarp = before.agent <= agents.warps;
    return std::max(entryOf(clock, before.agent),
                    isWarp ? LaneCount::of(entryOf(clock, agents.lane(before.agent))).count : 0) >= before.clock;
  };
  return isKnown(race.clock) || isKnown(race.view.clock);
}

/// Returns whether nothing orders the access in the cell before the access of the warp. Writes after earlier reads by a
/// warp of the same cluster are ignored: compilers let several warps read data that only one of them uses, and writes.
static bool isUnordered(const Content &before, const Content &now, const Warp &warp) {
  const bool areStrong = before.state == State::WrittenStrongly && now.state == before.state;
  if (before.cluster != now.cluster) {
    if (before.state == State::WrittenStrongly || now.state == State::WrittenStrongly)
      return false;
    if (!warp.block->grid->program.needsOrder)
      return true;
    const llvm::BitVector &seen = raceOf(warp).cluster->seen;
    return !seen.empty() && before.state != State::ReadByAll && !seen.test(before.cluster);
  }
  return isWritten(before.state) && !areStrong && !isSeen(before, now, warp);
}

/// Returns the combination of reads by one or several clusters.
static Content joinedReads(const Content &before, const Content &now) {
  Content all = before;
  all.bytes |= now.bytes;
  if (before.cluster != now.cluster)
    all.state = State::ReadByAll;
  return all;
}

/// Returns the contents of the cell after an access. `rest` gets the accesses to other bytes that no longer fit.
static Content after(const Content &before, const Content &now, Content &rest) {
  if (before.state == State::Untouched)
    return now;
  if (!isWritten(now.state) && !isWritten(before.state))
    return joinedReads(before, now);
  Content all = isWritten(now.state) ? now : before;
  rest = isWritten(now.state) ? before : now;
  rest.bytes &= static_cast<uint16_t>(~all.bytes);
  const bool isOfSame = rest.state == all.state && rest.cluster == all.cluster && rest.agent == all.agent &&
                        rest.clock == all.clock && rest.lane == all.lane;
  all.bytes |= isOfSame ? rest.bytes : 0;
  if (isOfSame ||
      (!isWritten(rest.state) && rest.cluster == all.cluster)) // reads of a cluster do not race with each other
    rest.bytes = 0;
  all.hasOthers = before.hasOthers;
  return all;
}

/// Adds the access and the rest to the further accesses of a cell.
static void noteOthers(std::vector<Content> &others, const Content &now, const Content &rest) {
  if (isWritten(now.state))
    for (Content &one : others)
      one.bytes &= static_cast<uint16_t>(~now.bytes);
  llvm::erase_if(others, [](const Content &one) { return !one.bytes; });
  if (!rest.bytes)
    return;
  if (const auto read = llvm::find_if(others, [](const Content &one) { return !isWritten(one.state); });
      !isWritten(rest.state) && read != others.end())
    *read = joinedReads(*read, rest);
  else
    others.push_back(rest);
}

/// Records the access to whole cells, as long as they have no accesses, or only reads of their own cluster. Returns the
/// number of these cells.
static uint64_t noteSimply(GlobalCell *cells, uint64_t count, const Content &now, uint32_t launch) {
  const uint64_t who = whoOf(now, launch), when = whenOf(now), ofCluster = uint64_t(UINT32_MAX) << 32 | othersMask | 7;
  const uint64_t read = uint64_t(now.cluster) << 32 | static_cast<uint64_t>(State::Read);
  const uint64_t bytes = uint64_t(now.bytes) << 8;
  for (uint64_t i = 0; i < count; ++i) {
    GlobalCell &cell = cells[i];
    uint64_t before = cell.who.load(std::memory_order_acquire);
    before = (before ^ who) & launchMask ? 0 : before;
    if (before && (before & ofCluster) != read)
      return i;
    if (before && now.state == State::Read) {
      if ((before & bytes) != bytes)
        return i;
      continue;
    }
    cell.who.store(0, std::memory_order_relaxed);
    cell.when.store(when, std::memory_order_release);
    cell.who.store(who, std::memory_order_release);
  }
  return count;
}

/// Returns the race of an access with the contents of the cell, if there is one.
static std::optional<Race> raceWith(const Content &before, const Content &now, const Warp &warp,
                                    const Instruction &at) {
  const bool isWrite = isWritten(now.state);
  if (!(before.bytes & now.bytes) || !(isWritten(before.state) || isWrite))
    return std::nullopt;
  const bool areOrdered = !isUnordered(before, now, warp), areOfOne = before.cluster == now.cluster;
  if (areOrdered && !(areOfOne && !isWrite && isUnfenced(before.agent, before.clock, warp)))
    return std::nullopt;
  Race race;
  race.earlier.warp = before.agent;
  race.earlier.clock = before.clock;
  race.earlier.at = &at - now.instruction + before.instruction;
  race.isGlobal = true;
  race.isWrite = isWritten(before.state);
  race.isUnfenced = areOrdered;
  race.matters = isWrite || warp.doer.agent || !areOfOne;
  if (!areOfOne)
    race.cluster = before.cluster;
  return race;
}

/// Records an access to bytes of one cell.
static std::optional<Race> noteInCell(GlobalCell &cell, const Content &now, const Warp &warp, const Instruction &at) {
  GlobalShadows &shadows = *raceOf(warp).grid->shadows;
  const Content before = read(cell, shadows.launch);
  if (!before.hasOthers && before.state != State::Untouched && !isWritten(before.state) && !isWritten(now.state)) {
    write(cell, joinedReads(before, now), shadows.launch);
    return {};
  }
  std::optional<Race> race = raceWith(before, now, warp, at);
  if (race)
    return race;
  Content rest, all = after(before, now, rest);
  if (before.hasOthers || rest.bytes) {
    const bool isRoom = shadows.withOthers(cell, [&](std::vector<Content> &others) {
      for (size_t i = 0; i < others.size() && !race; ++i)
        race = raceWith(others[i], now, warp, at);
      if (!race)
        noteOthers(others, now, rest);
      all.hasOthers = !others.empty();
    });
    all.hasOthers &= isRoom;
  }
  if (!race)
    write(cell, all, shadows.launch);
  return race;
}

/// Returns what a weak access of the warp writes to a cell, except for the bytes.
static Content contentOf(const Warp &warp, const Instruction &at, bool isWrite) {
  const RaceWarp &race = raceOf(warp);
  return {isWrite ? State::Written : State::Read,
          0,
          static_cast<uint32_t>(std::min<uint64_t>(warp.block->agents->cluster, UINT32_MAX)),
          race.agent,
          race.clock[race.agent],
          static_cast<uint32_t>(&at - warp.block->grid->program.module->ast().instructions.data())};
}

static GlobalCell *cellsOf(RaceGrid &grid, const Allocation &allocation) {
  const auto [known, isNew] = grid.cells.try_emplace(allocation.number, nullptr);
  if (isNew)
    known->second = grid.shadows->of(allocation);
  return known->second;
}

/// Returns whether the access does not fit into the bits of a cell.
static bool isBeyondCells(const Content &now) {
  return now.agent >> bitsOfAgent || now.clock >> bitsOfClock || now.cluster == UINT32_MAX;
}

std::optional<Race> noteGlobal(Warp &warp, const Instruction &at, const GlobalAccess &access) {
  RaceWarp &known = raceOf(warp);
  RaceGrid &grid = *known.grid;
  GlobalCell *const cells = cellsOf(grid, access.allocation);
  const unsigned cellBytes = grid.shadows->bytesOfCell;
  const uint32_t launch = grid.shadows->launch;
  Content now = contentOf(warp, at, access.isWrite);
  now.state = access.isStrong ? State::WrittenStrongly : now.state;
  if (warp.doer.agent) {
    now.agent = access.isWrite ? warp.block->agents->writes(known.agent) : warp.doer.agent;
    now.clock = warp.doer.clock;
  }
  constexpr unsigned leastCell = 4; // in larger cells, a strong write would hide the accesses beside it
  const bool isPlain = !access.isStrong && !warp.doer.agent;
  if (!cells || (!isPlain && cellBytes > leastCell) || isBeyondCells(now))
    return {};
  const uint64_t end = access.offset + access.bytes;
  for (uint64_t from = access.offset; from < end;) {
    if (isPlain && cellBytes != leastCell && from % cellBytes == 0 && end - from >= cellBytes) {
      now.bytes = static_cast<uint16_t>((1u << cellBytes) - 1);
      if (const uint64_t noted = noteSimply(cells + from / cellBytes, (end - from) / cellBytes, now, launch)) {
        from += noted * cellBytes;
        continue;
      }
    }
    GlobalCell &cell = cells[from / cellBytes];
    const uint64_t first = from % cellBytes, count = std::min<uint64_t>(cellBytes - first, end - from);
    now.bytes = static_cast<uint16_t>(((1u << count) - 1) << first);
    if (cellBytes == leastCell && access.by.lanes)
      now.lane = access.by.shift < 2 ? uint8_t(wholeWarp) : access.by.lanes[(from - access.offset) >> access.by.shift];
    if (std::optional<Race> race = noteInCell(cell, now, warp, at))
      return race;
    from += count;
  }
  return {};
}

// ---- cells in vectors

namespace {

/// A pair of cells. A processor with AVX2 reads and writes each of them atomically.
typedef uint64_t CellPair __attribute__((vector_size(32), aligned(16), may_alias));

} // namespace

static PTXRAY_INLINE bool isZero(const CellPair &pair) { return !(pair[0] | pair[1] | pair[2] | pair[3]); }

/// Records an access to whole cells like `noteSimply`, or a read of cells that several clusters have read. Requires
/// that all cells have the same state, and no further accesses.
static PTXRAY_FOR_AVX2 bool notePairs(GlobalCell *cells, uint64_t count, const Content &now, uint32_t launch) {
  constexpr uint64_t stateMask = 7, clusterMask = uint64_t(UINT32_MAX) << 32;
  const uint64_t who = whoOf(now, launch), when = whenOf(now), bytes = uint64_t(now.bytes) << 8;
  const uint64_t ofLaunch = who & launchMask;
  const CellPair entry = {who, when, who, when}, launches = {launchMask, 0, launchMask, 0}, other = {0, 1, 0, 1},
                 wanted = CellPair{bytes, 0, bytes, 0} & (now.state == State::Read ? ~uint64_t(0) : 0);
  const uint64_t own = ofLaunch | static_cast<uint64_t>(State::Read) | (who & clusterMask),
                 all = ofLaunch | static_cast<uint64_t>(State::ReadByAll);
  constexpr uint64_t known = launchMask | stateMask | othersMask;
  const CellPair ofCluster = {known | clusterMask, 0, known | clusterMask, 0}, ofAll = {known, 0, known, 0},
                 readByOwn = {own, 0, own, 0}, readByAll = {all, 0, all, 0};
  CellPair *const pairs = reinterpret_cast<CellPair *>(cells); // `auto` would lose the alignment
  CellPair areNew = ~CellPair{}, areOwn = {}, areReadByAll = {};
  for (uint64_t i = 0; i < count / 2; ++i) {
    const CellPair before = pairs[i], missing = ~before & wanted;
    areNew &= reinterpret_cast<CellPair>((((before ^ entry) & launches) | other) != 0);
    areOwn |= ((before & ofCluster) ^ readByOwn) | missing;
    areReadByAll |= ((before & ofAll) ^ readByAll) | missing;
  }
  const bool isRead = now.state == State::Read;
  if (isRead && (isZero(areOwn) || isZero(areReadByAll)))
    return true;
  if (!isZero(~areNew) && !isZero(areOwn))
    return false;
  for (uint64_t i = 0; i < count / 2; ++i)
    pairs[i] = entry;
  return true;
}

bool noteGlobalRow(const Warp &warp, const Instruction &at, bool isWrite, const Allocation &allocation, uint64_t offset,
                   LaneShape &shape) {
  constexpr unsigned cellBytes = GlobalShadows::coarse;
  RaceGrid &grid = *raceOf(warp).grid;
  if (!isWide() || !shape.areWide || offset % cellBytes || grid.shadows->bytesOfCell != cellBytes)
    return false;
  if (shape.shadow.allocation != allocation.number) {
    shape.shadow.allocation = allocation.number;
    shape.shadow.cells = cellsOf(grid, allocation);
  }
  Content now = contentOf(warp, at, isWrite);
  now.bytes = (1u << cellBytes) - 1;
  if (!shape.shadow.cells || isBeyondCells(now))
    return false;
  for (unsigned i = 0; i < shape.runs; ++i) {
    const LaneShape::Run &run = shape.run[i];
    const uint64_t first = offset + static_cast<uint64_t>(run.at - shape.low);
    if (!notePairs(shape.shadow.cells + first / cellBytes, run.elements * shape.bytes / cellBytes, now,
                   grid.shadows->launch))
      return false;
  }
  return true;
}

void orderClusters(Warp &warp, uint64_t place) {
  RaceWarp &race = raceOf(warp);
  llvm::BitVector &seen = race.cluster->seen;
  if (seen.empty())
    return;
  llvm::BitVector &others = race.grid->order.places[place];
  seen |= others;
  others = seen;
}

} // namespace ptxray::machine
