#include "Observe/Watch.h"
#include "Machine/TensorMemory.h"
#include "Observe/Order.h"
#include "Observe/RaceState.h"
#include "Observe/Unwritten.h"
#include "llvm/ADT/STLExtras.h"
#include <cstring>

namespace ptxray::machine {

/// Bytes that lanes access through addresses.
struct WatchedAccess {
  uint64_t at, bytes;
  bool isWrite;
  uint32_t mask;       // mask of the lanes
  AccessLanes by = {}; // for each element
  bool isStrong = false;
};

// ---- the life of a cluster

/// Returns the highest number of releases of a warp in the cluster.
static uint32_t maxReleases(llvm::ArrayRef<BlockState *> cluster) {
  uint32_t most = 0;
  for (const BlockState *block : cluster)
    for (const Warp &warp : block->warps)
      most = std::max(most, raceOf(warp).clock[raceOf(warp).agent]);
  return most;
}

/// Lets the warp know everything that was done, as after a barrier of the cluster, so that no shadow memory must be
/// cleared.
static void knowAll(Warp &warp, uint32_t releases) {
  RaceWarp &race = raceOf(warp);
  const uint32_t warps = race.clock[0];
  race.clock.assign(warp.block->agents->made(1),
                    releases); // the others' accesses, also those before fences for proxies
  race.clock[0] = warps;
  ++race.clock[race.agent];
  race.together = race.horizon = releases;
  race.readsTogether = 0;
  race.hasRead = false;
  race.enginesTogether.clear();
  race.view = race.fenced = race.unfenced = {};
  race.held.clear();
  race.changedIn = nullptr;
  race.changed.clear();
}

static uint64_t countClusters(const GridState &grid) {
  uint64_t count = 1;
  for (int i = 0; i < 3; ++i)
    count *= grid.grid[i] / grid.cluster[i];
  return count;
}

/// Makes the states of a cluster that does not have them yet.
static void make(llvm::ArrayRef<BlockState *> cluster, RaceGrid &grid) {
  const auto shared = std::make_shared<RaceCluster>();
  const uint32_t warps = cluster.front()->agents->warps;
  for (BlockState *block : cluster) {
    auto state = std::make_unique<RaceBlock>();
    state->cluster = shared;
    state->shadow.grow(block->shared.size() / bytesOfCell + 1, block->grid->program.module->ast().instructions.data());
    block->attached.put(ObserverSlot::Races, std::move(state));
    for (Warp &warp : block->warps) {
      auto race = std::make_unique<RaceWarp>();
      race->grid = &grid;
      race->cluster = shared.get();
      race->agent = agentOf(warp);
      race->clock.assign(warps + 1, 0);
      race->clock[0] = warps;
      race->clock[race->agent] = 1;
      warp.attached.put(ObserverSlot::Races, std::move(race));
    }
  }
}

void RaceObserver::beginCluster(llvm::ArrayRef<BlockState *> cluster, bool isAgain) {
  const GridState &grid = *cluster.front()->grid;
  const uint64_t clusters = countClusters(grid);
  if (clusters == 1)
    state.shadows->bytesOfCell = GlobalShadows::fine;
  if (isAgain) {
    const uint32_t releases = maxReleases(cluster);
    raceOf(*cluster.front()).cluster->places.clear();
    for (BlockState *block : cluster) {
      SharedShadow &shadow = raceOf(*block).shadow;
      shadow.lateReads.clear();
      shadow.dropMoreWrites(releases, block->agents->warps);
      for (Clock &clock : raceOf(*block).barriers)
        clock.clear();
      for (Warp &warp : block->warps)
        knowAll(warp, releases);
    }
  } else
    make(cluster, state);
  if (!grid.program.needsOrder || clusters > ClusterOrder::most)
    return;
  llvm::BitVector &seen = raceOf(*cluster.front()).cluster->seen;
  seen.clear();
  seen.resize(static_cast<unsigned>(clusters));
  seen.set(static_cast<unsigned>(cluster.front()->agents->cluster));
}

bool RaceObserver::canBeginAgain(llvm::ArrayRef<BlockState *> cluster) {
  constexpr uint32_t limit = 1 << 16; // the fields for releases are limited
  return maxReleases(cluster) < limit && llvm::all_of(
                                             cluster,
                                             [](const BlockState *block) {
                                               const RaceBlock &race = raceOf(*block);
                                               return !race.tensorShadow.size() && race.shadow.moreReads.empty();
                                             });
}

void RaceObserver::arrives(Warp &warp, uint32_t barrier, uint32_t lanes) {
  tell(warp, lanes, raceOf(*warp.block).barriers[barrier]);
}

void RaceObserver::meets(BlockState &block, uint32_t barrier, llvm::ArrayRef<WaitingAtBarrier> waiting) {
  Clock &clock = raceOf(block).barriers[barrier];
  for (const WaitingAtBarrier &one : waiting) {
    learn(*one.warp, one.fragment.mask, clock);
    raiseHorizon(*one.warp);
  }
  clock.clear();
  dropKnown(block);
}

// ---- accesses

static uint64_t offsetInShared(Space space, uint64_t address) {
  return (space == Space::Generic ? address - sharedWindow : address) & ((uint64_t(1) << sharedRankShift) - 1);
}

/// Records an access to shared or global memory. Returns the earlier access with which it races.
static std::optional<Race> watched(Warp &warp, const Op &op, const AddressOf &address, const WatchedAccess &access) {
  const auto &[at, bytes, isWrite, mask, by, isStrong] = access;
  const bool isShared = address.space == Space::Shared || (address.space == Space::Generic && at / windowBytes == 2);
  const bool isGlobal = address.space == Space::Global || (address.space == Space::Generic && at >= globalBegin);
  if (!(isShared || isGlobal) || warp.fault || warp.doer.stage == Stage::End)
    return {};
  const Instruction &instruction = warp.now.frame->code.instruction(op.instruction);
  if (isGlobal) {
    const Allocation *one = allocationAt(warp, op, at);
    return one ? noteGlobal(warp, instruction, {*one, at - one->begin, bytes, isWrite, isStrong, by}) : std::nullopt;
  }
  const uint64_t rank = (at & (windowBytes - 1)) >> sharedRankShift;
  raceOf(warp).accessing = mask;
  return noteAccess(warp, instruction, *warp.block->cluster[rank],
                    {offsetInShared(address.space, at), bytes, isWrite, by, isStrong});
}

/// Raises a fault if there is a race.
static void reportRace(const std::optional<Race> &race, Warp &warp, const Op &op, const AddressOf &address, uint64_t at,
                       uint64_t bytes, bool isWrite, unsigned lane) {
  if (!race)
    return;
  report(warp, op, AccessFault::None, address, at, bytes, isWrite, lane);
  warp.fault->race = *race;
  nameRule(warp.fault->race, warp, isWrite);
}

/// Records an access to shared memory of a block by a lane, or by its whole warp.
static void watchShared(Warp &warp, const Op &op, BlockState &block, uint64_t offset, uint64_t bytes, bool isWrite,
                        unsigned lane, bool isOfLane) {
  if (warp.fault || warp.doer.stage == Stage::End)
    return;
  const Instruction &instruction = warp.now.frame->code.instruction(op.instruction);
  const auto by = static_cast<uint8_t>(lane);
  raceOf(warp).accessing = 1u << lane;
  const std::optional<Race> race =
      noteAccess(warp, instruction, block, {offset, bytes, isWrite, {isOfLane ? &by : nullptr, allOfLane}});
  reportRace(race, warp, op, {{}, 0, Space::Shared}, offset, bytes, isWrite, lane);
}

static void watchRange(Warp &warp, const RangeAccess &one) {
  const auto by = static_cast<uint8_t>(one.lane);
  if (one.owner)
    return watchShared(warp, one.op, *one.owner, one.at, one.bytes, one.isWrite, one.lane,
                       one.by == RangeAccess::By::Lane);
  static constexpr uint8_t many = manyLanes; // an operand of a lane may belong to several lanes
  const bool isOfLane = one.by == RangeAccess::By::Lane;
  const uint32_t mask = isOfLane ? 1u << one.lane : warp.now.mask;
  const std::optional<Race> race =
      watched(warp, one.op, one.address, {one.at, one.bytes, one.isWrite, mask, {isOfLane ? &by : &many, allOfLane}});
  const bool changesNothing =
      race && race->isWrite && one.isWrite && one.stored && std::memcmp(one.memory, one.stored, one.bytes) == 0;
  if (!changesNothing)
    return reportRace(race, warp, one.op, one.address, one.at, one.bytes, one.isWrite, one.lane);
  observersOf(warp).notify(events::Accesses, [&](Observer &observer) { observer.excuses(warp, one); });
}

namespace {

/// Consecutive ranges in the shared memory of a block, as a row of cells.
class RangeRow {
public:
  explicit RangeRow(Warp &warp) : warp(warp) {}
  RangeRow(const RangeRow &) = delete;
  RangeRow &operator=(const RangeRow &) = delete;
  ~RangeRow() { note(); }

  /// Adds a range. If it does not follow the previous ranges, records those first. Returns false if the range cannot be
  /// part of a row.
  bool add(const RangeAccess &range);
  /// Records the ranges: all together, or one by one if something may race with one of them.
  void note();

private:
  Warp &warp;
  llvm::SmallVector<const RangeAccess *, warpSize> ranges;
  BlockState *owner = nullptr;
  uint64_t begin = 0, end = 0; // offsets
  std::array<uint32_t, SharedShadow::mostOfRow> lanes;
};

} // namespace

bool RangeRow::add(const RangeAccess &range) {
  const Space space = range.address.space;
  const bool isShared = space == Space::Shared || (space == Space::Generic && range.at / windowBytes == 2);
  const uint64_t rank = (range.at & (windowBytes - 1)) >> sharedRankShift, offset = offsetInShared(space, range.at);
  if (!isShared || range.owner || (offset | range.bytes) % bytesOfCell || range.bytes > sizeof lanes)
    return false;
  BlockState *const block = warp.block->cluster[rank];
  const bool follows = !ranges.empty() && block == owner && offset == end && range.isWrite == ranges[0]->isWrite &&
                       range.by == ranges[0]->by && end - begin + range.bytes <= sizeof lanes;
  if (!follows) {
    note();
    owner = block;
    begin = end = offset;
  }
  const uint32_t by = (range.by == RangeAccess::By::Lane ? range.lane : uint32_t(manyLanes)) * 0x01010101u;
  std::fill_n(lanes.begin() + static_cast<ptrdiff_t>((end - begin) / bytesOfCell), range.bytes / bytesOfCell, by);
  end += range.bytes;
  ranges.push_back(&range);
  return true;
}

void RangeRow::note() {
  if (ranges.empty())
    return;
  const RangeAccess &first = *ranges[0];
  const Instruction &at = warp.now.frame->code.instruction(first.op.instruction);
  if (!isRowNoted(warp, at, *owner, begin, (end - begin) / bytesOfCell, lanes.data(), first.isWrite))
    for (const RangeAccess *one : ranges)
      watchRange(warp, *one);
  ranges.clear();
}

void RaceObserver::ranges(Warp &warp, llvm::ArrayRef<RangeAccess> accesses) {
  if (warp.doer.stage == Stage::End)
    return;
  if (accesses.size() == 1)
    return watchRange(warp, accesses[0]);
  RangeRow row(warp);
  for (const RangeAccess &one : accesses) {
    if (warp.fault || row.add(one))
      continue;
    if (one.address.space == Space::Global && warp.doer.agent && raceOf(warp).grid->shadows->bytesOfCell > bytesOfCell)
      continue; // `noteGlobal` does not record these
    row.note();
    watchRange(warp, one);
  }
}

void RaceObserver::tensors(Warp &warp, const TensorRange &one) {
  if (warp.doer.stage == Stage::End)
    return;
  const Instruction &instruction = warp.now.frame->code.instruction(one.op.instruction);
  raceOf(warp).accessing = one.together ? one.together : 1u << one.lane;
  for (uint32_t i = 0; i < one.lanes.size() && !warp.fault; ++i) {
    const uint32_t column = (one.first + i) % TensorMemory::columns;
    if (one.lanes[i])
      reportRace(noteTensorAccess(warp, instruction, one.owner, column, one.lanes[i], one.isWrite), warp, one.op,
                 {{}, 0, Space::Generic}, column, 4, one.isWrite, one.lane);
  }
}

void RaceObserver::matrices(Warp &warp, const Op &op, BlockState &block, const SharedMatrix &matrix, unsigned lane) {
  if (warp.doer.stage == Stage::End)
    return;
  const auto places = block.grid->matrices.placesOf(matrix);
  raceOf(warp).accessing = 1u << lane;
  if (!warp.fault && places->end <= block.shared.size() &&
      areNotedAlike(warp, warp.now.frame->code.instruction(op.instruction), block, places->runs, /*isWrite=*/false))
    return;
  for (const ByteRun &run : places->runs)
    if (run.end <= block.shared.size())
      watchShared(warp, op, block, run.begin, run.end - run.begin, false, lane, /*isOfLane=*/false);
}

void RaceObserver::reshapes(GridState &grid, const LaneShape &) {
  for (BlockState *block : grid.blocks)
    noteLateReads(*block);
}

/// Returns whether the lane writes the value that is already there.
static bool changesNothing(const char *registers, const MemoryAccess &access, unsigned lane, const uint8_t *memory) {
  for (const Place &place : access.elements) {
    const size_t bytes = access.bits / 8;
    if (std::memcmp(registers + place.slot + size_t(lane) * (place.bits / 8), memory, bytes) != 0)
      return false;
    memory += bytes;
  }
  return true;
}

/// Records weak accesses. Lanes that access the same or consecutive bytes are recorded together. Returns whether there
/// is a race.
static bool isRaced(Warp &warp, const Op &op, const MemoryAccess &access, const uint64_t *at, const Pointers &found) {
  const auto shift = static_cast<unsigned>(__builtin_ctz(access.bytes));
  const auto isWatched = [&](uint64_t from, uint64_t bytes, const uint8_t *lanes, const uint32_t *ofCells) {
    const WatchedAccess one{from, bytes, access.isWrite, found.mask, {lanes, shift, ofCells}};
    return watched(warp, op, access.address, one).has_value();
  };
  if (const LaneShape *shape = found.shape) {
    for (unsigned i = 0; i < shape->runs; ++i) {
      const LaneShape::Run &run = shape->run[i];
      if (isWatched(at[shape->lane] + static_cast<uint64_t>(run.at), size_t(run.elements) * access.bytes,
                    shape->lanes.data() + run.first, shape->lanesOfCells.data() + run.first))
        return true;
    }
    return false;
  }
  for (uint32_t left = found.mask; left; left &= left - 1) {
    const auto lane = static_cast<uint8_t>(__builtin_ctz(left));
    if (isWatched(at[lane], access.bytes, &lane, nullptr))
      return true;
  }
  return false;
}

/// Records a strong access: it orders, and its write races with weak accesses.
static void watchStrong(Warp &warp, const Op &op, const MemoryAccess &access, uint64_t at, uint8_t lane) {
  if (access.isWrite) {
    const std::optional<Race> race =
        watched(warp, op, access.address, {at, access.bytes, true, 1u << lane, {&lane, allOfLane}, true});
    reportRace(race, warp, op, access.address, at, access.bytes, true, lane);
  }
  if (warp.doer.agent)
    return;
  const uint64_t place = access.address.space == Space::Shared ? at + sharedWindow : at;
  if (access.isWrite)
    releaseAt(warp, 1u << lane, place, !access.releases);
  else
    acquireAt(warp, 1u << lane, place, !access.acquires);
  if (access.address.space != Space::Shared)
    orderClusters(warp, place);
}

void RaceObserver::beginsAccess(Warp &warp) { ++raceOf(warp).turn; }

void RaceObserver::accesses(Warp &warp, const LaneAccess &one) { watchLanes(warp, one); }

void watchLanes(Warp &warp, const LaneAccess &one) {
  const auto &[op, access, at, found] = one;
  const Space space = access.address.space;
  if (!access.isStrong && (space == Space::Local || space == Space::Const || space == Space::Param))
    return;
  ++raceOf(warp).turn;
  if (!access.isStrong && !isRaced(warp, op, access, at, found))
    return;
  const char *registers = warp.now.frame->registers;
  for (uint32_t left = found.mask; left; left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(left));
    const auto by = static_cast<uint8_t>(lane);
    if (access.isStrong) {
      watchStrong(warp, op, access, at[lane], by);
      continue;
    }
    const std::optional<Race> race =
        watched(warp, op, access.address, {at[lane], access.bytes, access.isWrite, 1u << lane, {&by, allOfLane}});
    if (!race)
      continue;
    if (!race->matters) {
      if (DoubtfulLoad *const isNew = followDoubt(warp, op, 1u << lane, {*race, at[lane]}))
        nameRule(isNew->race, warp, /*isWrite=*/false);
      continue;
    }
    const bool isHarmless =
        access.isWrite && (race->isWrite || race->cluster) && changesNothing(registers, access, lane, found.at(lane));
    if (!isHarmless)
      reportRace(race, warp, op, access.address, at[lane], access.bytes, access.isWrite, lane);
    else
      observersOf(warp).notify(events::Accesses, [&](Observer &observer) { observer.excuses(warp, one, lane); });
  }
}

} // namespace ptxray::machine
