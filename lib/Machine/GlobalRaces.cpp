#include "Machine/GlobalRaces.h"
#include "Machine/Grid.h"
#include "llvm/ADT/STLExtras.h"
#include <cstdlib>

namespace ptxray::machine {

constexpr uint64_t mostLaunches = 31; // cells tell no more launches apart

void GlobalShadows::Free::operator()(GlobalCell *cells) const { std::free(cells); }

GlobalCell *GlobalShadows::of(const Allocation &allocation) {
  const std::lock_guard lock(mutex);
  const size_t count = (allocation.end - allocation.begin) / bytesOfCell + 1;
  const auto known =
      llvm::find_if(all, [&](const Cells &one) { return one.begin == allocation.begin && one.count == count; });
  if (known == all.end()) { // pages that are not touched take no memory
    auto *cells = static_cast<GlobalCell *>(std::calloc(count, sizeof(GlobalCell)));
    all.push_back({allocation.begin, count, std::unique_ptr<GlobalCell[], Free>(cells)});
    return cells;
  }
  return known->cells.get();
}

void GlobalShadows::forget() {
  constexpr size_t mostKept = (size_t(64) << 20) / sizeof(GlobalCell);
  size_t cells = 0;
  for (const Cells &one : all)
    cells += one.count;
  launch = static_cast<uint32_t>(launch % mostLaunches + 1);
  if (cells > mostKept || launch == 1)
    all.clear();
  bytesOfCell = coarse;
}

namespace {

enum class State : uint8_t { Untouched, Read, ReadByAll, Written, WrittenStrongly };

/// Holds what a cell says.
struct Content {
  State state = State::Untouched;
  uint16_t bytes = 0;       // a bit for each of the 16
  uint32_t cluster = 0;     // its number
  uint32_t agent = 0;       // the last agent, by its number in the cluster
  uint32_t clock = 0;       // its own at that time
  uint32_t instruction = 0; // its number in the Ast
  uint8_t lane = wholeWarp; // the last lane
};

constexpr unsigned bitsOfAgent = 12, bitsOfClock = 20, laneAt = 24, launchAt = 3;
constexpr uint64_t launchMask = mostLaunches << launchAt;
constexpr uint64_t laneMask = 0x7f;

} // namespace

/// Returns nothing where another core is writing, or nothing was noted in this launch.
static Content read(const GlobalCell &cell, uint32_t launch) {
  const uint64_t who = cell.who.load(std::memory_order_acquire);
  const uint64_t when = cell.when.load(std::memory_order_acquire);
  if ((who & launchMask) != uint64_t(launch) << launchAt || cell.who.load(std::memory_order_relaxed) != who)
    return {};
  Content content;
  content.state = static_cast<State>(who & 7);
  content.bytes = static_cast<uint16_t>(who >> 8);
  content.lane = static_cast<uint8_t>(who >> laneAt & laneMask);
  content.cluster = static_cast<uint32_t>(who >> 32);
  content.agent = static_cast<uint32_t>(when & ((1u << bitsOfAgent) - 1));
  content.clock = static_cast<uint32_t>(when >> bitsOfAgent & ((1u << bitsOfClock) - 1));
  content.instruction = static_cast<uint32_t>(when >> 32);
  return content;
}

static uint64_t whoOf(const Content &content, uint32_t launch) {
  return static_cast<uint64_t>(content.state) | uint64_t(launch) << launchAt | uint64_t(content.bytes) << 8 |
         uint64_t(content.lane) << laneAt | uint64_t(content.cluster) << 32;
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

/// The access of the agent, which is of the same cluster, comes before that of the warp.
static bool isSeen(const Content &before, const Content &now, const Warp &warp) {
  const Agents &agents = *warp.block->agents;
  if (before.agent == warp.agent) {
    const LaneCount told = LaneCount::of(entryOf(warp.clock, agents.lane(warp.agent)));
    return before.clock <= warp.together || before.lane == wholeWarp || now.lane == wholeWarp ||
           (before.lane == now.lane && now.lane != manyLanes) || before.instruction == now.instruction ||
           (told.lane == before.lane && told.count >= before.clock);
  }
  const auto isKnown = [&](const Clock &clock) {
    const bool isWarp = before.agent <= agents.warps;
    return std::max(entryOf(clock, before.agent),
                    isWarp ? LaneCount::of(entryOf(clock, agents.lane(before.agent))).count : 0) >= before.clock;
  };
  return isKnown(warp.clock) || isKnown(warp.view.clock);
}

/// Nothing orders what the cell says before what the warp does. Writes beside earlier reads of a warp of the same
/// cluster are left alone: compilers let several warps read what only one of them uses, and writes.
static bool isUnordered(const Content &before, const Content &now, const Warp &warp) {
  const bool areStrong = before.state == State::WrittenStrongly && now.state == before.state;
  if (before.cluster != now.cluster) {
    if (before.state == State::WrittenStrongly || now.state == State::WrittenStrongly)
      return false;
    if (!warp.block->grid->program.needsOrder)
      return true;
    const llvm::BitVector &seen = warp.block->agents->seen;
    return !seen.empty() && before.state != State::ReadByAll && !seen.test(before.cluster);
  }
  return isWritten(before.state) && !areStrong && !isSeen(before, now, warp);
}

/// Returns what the cell says after an access.
static Content after(const Content &before, const Content &now) {
  if (before.state == State::Untouched || isWritten(now.state))
    return now;
  if (isWritten(before.state))
    return before;
  Content all = before;
  all.bytes |= now.bytes;
  if (before.cluster != now.cluster)
    all.state = State::ReadByAll;
  return all;
}

/// Notes the access of a whole cell that nothing was done to, or that its own cluster has only read. Returns how many
/// of the cells from the first one on were such.
static uint64_t noteSimply(GlobalCell *cells, uint64_t count, const Content &now, uint32_t launch) {
  const uint64_t who = whoOf(now, launch), when = whenOf(now), ofCluster = uint64_t(UINT32_MAX) << 32 | 7;
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

/// The conflict of an access with what the cell says, if there is one.
static std::optional<Race> raceWith(const Content &before, const Content &now, const Warp &warp, const Instruction &at,
                                    bool isWrite) {
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

std::optional<Race> noteGlobal(Warp &warp, const Instruction &at, const GlobalAccess &access) {
  GridState &grid = *warp.block->grid;
  const auto [known, isNew] = grid.cells.try_emplace(&access.allocation, nullptr);
  if (isNew)
    known->second = grid.shadows->of(access.allocation);
  GlobalCell *const cells = known->second;
  const unsigned cellBytes = grid.shadows->bytesOfCell;
  const uint32_t launch = grid.shadows->launch;
  Content now{access.isStrong  ? State::WrittenStrongly
              : access.isWrite ? State::Written
                               : State::Read,
              0,
              static_cast<uint32_t>(warp.block->agents->cluster),
              warp.agent,
              warp.clock[warp.agent],
              static_cast<uint32_t>(&at - grid.program.module->ast().instructions.data())};
  if (warp.doer.agent) {
    now.agent = access.isWrite ? warp.block->agents->writes(warp.agent) : warp.doer.agent;
    now.clock = warp.doer.clock;
  }
  constexpr unsigned leastCell = 4; // in larger ones a strong write would hide those beside it
  const bool isPlain = !access.isStrong && !warp.doer.agent;
  if (!cells || (!isPlain && cellBytes > leastCell) || now.agent >> bitsOfAgent || now.clock >> bitsOfClock ||
      warp.block->agents->cluster >= UINT32_MAX)
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
    const Content before = read(cell, launch);
    if (const std::optional<Race> race = raceWith(before, now, warp, at, access.isWrite))
      return race;
    write(cell, after(before, now), launch);
    from += count;
  }
  return {};
}

void orderClusters(Warp &warp, uint64_t place) {
  Agents &agents = *warp.block->agents;
  if (agents.seen.empty())
    return;
  llvm::BitVector &others = warp.block->grid->order.places[place];
  agents.seen |= others;
  others = agents.seen;
}

} // namespace ptxray::machine
