#include "Machine/Access.h"
#include "Machine/Flight.h"
#include "Machine/Grid.h"
#include "Machine/Joins.h"
#include "Machine/Run.h"
#include "llvm/ADT/STLExtras.h"
#include <cstring>

namespace ptxray::machine {

static uint32_t flat(const std::array<uint32_t, 3> &at, const std::array<uint32_t, 3> &size) {
  return at[0] + size[0] * (at[1] + size[1] * at[2]);
}
static uint32_t product(const std::array<uint32_t, 3> &size) { return size[0] * size[1] * size[2]; }

uint32_t BlockState::threads() const { return product(grid->block); }

bool BlockState::isDone() const { return warpsAlive == 0; }

/// Initialises a warp of the block: its lanes, and the data that observers need.
static void start(BlockState &block, Warp &warp) {
  const GridState &grid = *block.grid;
  warp.alive = warp.lanes;
  warp.isFollowed = grid.observers->any(events::Instructions, [&](Observer &one) { return one.follows(warp); });
  warp.isPlain = !warp.isFollowed && !grid.observers->want(events::Blocks | events::Guards) && !grid.timing.isWeak();
  if (grid.timing.isWeak())
    warp.weak = std::make_unique<WeakView>(block.grid->weak, *block.weak, block.grid->timing);
  Frame &frame =
      warp.frames.empty() ? enter(warp, grid.program.functions.front(), nullptr, allLanes) : enterAgain(warp);
  warp.now = {0, warp.alive, -1, &frame};
}

/// Allocates and initialises the memory and the warps of a block.
static void prepare(BlockState &block) {
  if (block.grid->timing.isWeak())
    block.weak = block.grid->weak.newBlock();
  const uint32_t warps = (block.threads() + warpSize - 1) / warpSize;
  block.grid->allocated += 4 * uint64_t(block.grid->sharedZones.back().end); // shadow memory, which also takes space
  block.shared.assign(block.grid->sharedZones.back().end, block.grid->launch.unwritten);
  block.warpsAlive = warps;
  for (uint32_t number = 0; number < warps; ++number) {
    Warp &warp = block.warps.emplace_back();
    warp.block = &block;
    warp.cache.shapes = block.grid->shapes.ofAll();
    warp.number = number;
    const uint32_t lanes = std::min(block.threads() - number * warpSize, warpSize);
    warp.lanes = lanes == warpSize ? allLanes : (1u << lanes) - 1;
  }
}

static void startAll(llvm::ArrayRef<BlockState *> cluster, bool isAgain) {
  for (const std::unique_ptr<Observer> &one : cluster.front()->grid->observers->list())
    one->beginCluster(cluster, isAgain);
  for (BlockState *block : cluster)
    for (Warp &warp : block->warps)
      start(*block, warp);
}

void beginWarps(llvm::ArrayRef<BlockState *> cluster) {
  for (BlockState *block : cluster)
    prepare(*block);
  startAll(cluster, /*isAgain=*/false);
}

bool canBeginAgain(const std::vector<BlockState *> &cluster) {
  const bool isPossible = llvm::all_of(cluster, [](const BlockState *block) {
    return block->agents->objects.empty() && !block->tensor.isUsed() &&
           llvm::all_of(block->warps, [](const Warp &warp) { return warp.engines.empty(); });
  });
  return isPossible && llvm::all_of(cluster.front()->grid->observers->list(),
                                    [&](const std::unique_ptr<Observer> &one) { return one->canBeginAgain(cluster); });
}

/// Initialises the memory and the warps of a block that is reused.
static void prepareAgain(BlockState &block) {
  std::ranges::fill(block.shared, block.grid->launch.unwritten);
  block.warpsAlive = static_cast<uint32_t>(block.warps.size());
  for (; block.arrivedAt; block.arrivedAt &= block.arrivedAt - 1)
    block.barriers[__builtin_ctz(block.arrivedAt)].clear();
  block.waitingForCluster.clear();
  block.warpgroups.clear();
  for (Warp &warp : block.warps) {
    warp.others.ready.clear();
    warp.others.parted.clear();
    warp.others.joins.clear();
    warp.waitsInVain.reset();
    warp.others.meeting.reset();
    warp.atBarrier = warp.atCluster = 0;
    warp.laneInstructions = 0;
  }
}

void beginAgain(const std::vector<BlockState *> &cluster) {
  cluster.front()->agents->haveArrived = false;
  for (BlockState *block : cluster)
    prepareAgain(*block);
  startAll(cluster, /*isAgain=*/true);
}

// ---- special registers

static std::array<uint32_t, 3> divided(const std::array<uint32_t, 3> &a, const std::array<uint32_t, 3> &b) {
  return {a[0] / b[0], a[1] / b[1], a[2] / b[2]};
}
static std::array<uint32_t, 3> remainder(const std::array<uint32_t, 3> &a, const std::array<uint32_t, 3> &b) {
  return {a[0] % b[0], a[1] % b[1], a[2] % b[2]};
}

static uint64_t ofThread(const Warp &warp, Special what, unsigned component, unsigned lane) {
  const auto &size = warp.block->grid->block;
  const uint32_t thread = warp.number * warpSize + lane;
  switch (what) {
  case Special::Tid:
    return component == 0   ? thread % size[0]
           : component == 1 ? thread / size[0] % size[1]
           : component == 2 ? thread / size[0] / size[1]
                            : 0;
  case Special::LaneId: return lane;
  case Special::MaskEq: return 1u << lane;
  case Special::MaskLe: return (2u << lane) - 1;
  case Special::MaskLt: return (1u << lane) - 1;
  case Special::MaskGe: return ~((1u << lane) - 1);
  default: return ~((2u << lane) - 1);
  }
}

static uint64_t ofBlock(const Warp &warp, Special what, unsigned component) {
  const BlockState &block = *warp.block;
  const GridState &grid = *block.grid;
  const auto of = [component](const std::array<uint32_t, 3> &triple) { return component < 3 ? triple[component] : 0; };
  switch (what) {
  case Special::Ntid: return of(grid.block);
  case Special::Ctaid: return of(block.index);
  case Special::Nctaid: return of(grid.grid);
  case Special::WarpId: return warp.number;
  case Special::WarpCount: return (block.threads() + warpSize - 1) / warpSize;
  case Special::SmCount:
  case Special::GridId: return 1;
  case Special::IsCluster: return product(grid.cluster) > 1;
  case Special::ClusterId: return of(divided(block.index, grid.cluster));
  case Special::ClusterCtaid: return of(remainder(block.index, grid.cluster));
  case Special::ClusterCount: return of(divided(grid.grid, grid.cluster));
  case Special::ClusterNctaid: return of(grid.cluster);
  case Special::ClusterRank: return flat(remainder(block.index, grid.cluster), grid.cluster);
  case Special::ClusterSize: return product(grid.cluster);
  case Special::TotalShared: return static_cast<uint32_t>(grid.program.sharedBytes) + grid.launch.shared;
  case Special::DynamicShared: return grid.launch.shared;
  case Special::WorkspaceHigh: return grid.workspace >> 32;
  case Special::WorkspaceLow: return static_cast<uint32_t>(grid.workspace);
  default: return 0;
  }
}

static bool isOfThread(Special what) {
  return what == Special::Tid || what == Special::LaneId || (what >= Special::MaskEq && what <= Special::MaskGt);
}

void fillThreadSpecials(const Warp &warp, const FunctionCode &code, char *registers) {
  for (const SpecialRegister &one : code.specials)
    for (unsigned lane = 0; isOfThread(one.what) && lane < warpSize; ++lane) {
      const uint64_t value = ofThread(warp, one.what, one.component, lane);
      std::memcpy(registers + one.place.slot + size_t(lane) * (one.place.bits / 8), &value, one.place.bits / 8);
    }
}

void fillBlockSpecials(const Warp &warp, Frame &frame, bool isAgain) {
  for (const SpecialRegister &one : frame.code.ofBlocks)
    fill(frame.registers, one.place, ofBlock(warp, one.what, one.component));
  if (isAgain)
    return;
  for (const SpecialRegister &one : frame.code.specials)
    if (!isOfThread(one.what))
      fill(frame.registers, one.place, ofBlock(warp, one.what, one.component));
}

// ---- barriers

uint32_t &NumberedBarrier::lanesOf(Warp &warp) {
  for (auto &[known, lanes] : arrived)
    if (known == &warp)
      return lanes;
  return arrived.emplace_back(&warp, 0).second;
}

void NumberedBarrier::clear() {
  arrived.clear();
  waiting.clear();
  met.clear();
  threads = counted = 0;
  areAll = true;
}

/// Returns the number of threads that arrived. If all remaining lanes of a warp arrived, the whole warp is counted.
static uint32_t arrivedThreads(const NumberedBarrier &barrier) {
  uint32_t count = 0;
  for (const auto &[warp, lanes] : barrier.arrived)
    count += lanes == warp->alive ? warpSize : static_cast<uint32_t>(__builtin_popcount(lanes));
  return count;
}

static void deliver(const WaitingAtBarrier &one, const NumberedBarrier &barrier) {
  using Result = BarrierSite::Result;
  const Place to = one.site->to;
  char *registers = one.fragment.frame->registers;
  if (one.site->result == Result::None || !to.bits)
    return;
  const uint32_t mask = one.fragment.mask;
  if (one.site->result == Result::Count) {
    for (uint32_t left = mask; left; left &= left - 1)
      std::memcpy(registers + to.slot + 4 * __builtin_ctz(left), &barrier.counted, 4);
    return;
  }
  const bool isTrue = one.site->result == Result::All ? barrier.areAll : barrier.counted != 0;
  uint32_t lanes;
  std::memcpy(&lanes, registers + to.slot, 4);
  lanes = isTrue ? lanes | mask : lanes & ~mask;
  std::memcpy(registers + to.slot, &lanes, 4);
}

static void completeIfAll(BlockState &block, NumberedBarrier &barrier) {
  if (barrier.arrived.empty())
    return;
  const uint32_t wanted = barrier.threads ? barrier.threads : block.warpsAlive * warpSize;
  if (barrier.arrived.size() * warpSize < wanted || arrivedThreads(barrier) < wanted)
    return;
  NumberedBarrier &done = block.complete;
  std::swap(barrier, done);
  barrier.clear();
  block.arrivedAt &= ~(1u << (&barrier - block.barriers.data()));
  ++block.events;
  const auto number = static_cast<uint32_t>(&barrier - block.barriers.data());
  block.grid->observers->notify(events::Order, [&](Observer &one) { one.meets(block, number, done.waiting); });
  for (const WaitingAtBarrier &one : done.waiting) {
    deliver(one, done);
    if (one.warp->weak)
      one.warp->weak->acquireFrom(done.met);
    one.warp->atBarrier &= ~one.fragment.mask;
    resume(*one.warp, one.fragment);
  }
}

constexpr uint64_t clusterPlace = 1; // key of the cluster barrier among objects that order accesses

static void acquireAtCluster(Warp &warp, uint32_t mask) {
  observersOf(warp).notify(events::Order, [&](Observer &one) { one.acquires(warp, mask, clusterPlace); });
}

/// Completes the cluster barrier after all threads of the cluster have arrived, and releases the waiting lanes.
static void completeCluster(BlockState &block) {
  if (!block.agents->haveArrived)
    return;
  for (const BlockState *other : block.cluster)
    for (const Warp &warp : other->warps)
      if ((warp.atCluster & warp.alive) != warp.alive)
        return;
  block.agents->haveArrived = false;
  ++block.events;
  for (BlockState *other : block.cluster)
    for (Warp &warp : other->warps)
      warp.atCluster = 0;
  for (BlockState *other : block.cluster)
    for (const WaitingAtBarrier &one : std::exchange(other->waitingForCluster, {})) {
      acquireAtCluster(*one.warp, one.fragment.mask);
      settleAll(*one.warp);
      one.warp->atBarrier &= ~one.fragment.mask;
      resume(*one.warp, one.fragment);
    }
}

constexpr uint32_t warpsOfGroup = 4;

/// Completes a meeting of a warpgroup if each warp of the group has arrived.
static void completeWarpgroup(BlockState &block, uint32_t number) {
  NumberedBarrier &meeting = block.warpgroups[number];
  for (Warp &warp : block.warps) {
    const uint32_t lanes = warp.number / warpsOfGroup == number ? meeting.lanesOf(warp) : 0;
    if (warp.number / warpsOfGroup == number && (lanes & warp.alive) != warp.alive)
      return;
  }
  const NumberedBarrier done = std::exchange(meeting, {});
  for (const WaitingAtBarrier &one : done.waiting) {
    ++block.events;
    one.warp->atBarrier &= ~one.fragment.mask;
    resume(*one.warp, one.fragment);
  }
}

/// Makes the lanes wait for the other warps of their group. This does not order their earlier accesses.
static void meetInWarpgroup(Warp &warp, const Fragment &next, const BarrierSite &site, uint32_t mask) {
  const uint32_t number = warp.number / warpsOfGroup;
  NumberedBarrier &meeting = warp.block->warpgroups[number];
  meeting.lanesOf(warp) |= mask;
  warp.atBarrier |= mask;
  meeting.waiting.push_back({&warp, next, &site});
  ++warp.block->events;
  completeWarpgroup(*warp.block, number);
}

void checkBarriers(BlockState &block) {
  if (!block.arrivedAt && block.warpgroups.empty() && !block.agents->haveArrived)
    return;
  for (uint32_t left = block.arrivedAt; left; left &= left - 1)
    completeIfAll(block, block.barriers[__builtin_ctz(left)]);
  for (const auto &[number, meeting] : block.warpgroups)
    completeWarpgroup(block, number);
  completeCluster(block);
}

/// Makes the lanes arrive at the cluster barrier, or wait if the phase in which they arrived is incomplete.
static void useClusterBarrier(Warp &warp, const Fragment &next, const BarrierSite &site, uint32_t mask) {
  ++warp.block->events;
  if (!site.waits) {
    observersOf(warp).notify(events::Order, [&](Observer &one) {
      one.releases(warp, mask, clusterPlace, site.isRelaxed ? Release::Objects : Release::All);
    });
    warp.atCluster |= mask;
    warp.block->agents->haveArrived = true;
    return completeCluster(*warp.block);
  }
  if (!(warp.atCluster & mask)) {
    acquireAtCluster(warp, mask);
    return resume(warp, next);
  }
  warp.atBarrier |= mask;
  warp.block->waitingForCluster.push_back({&warp, next, &site});
}

void arrive(Warp &warp, const Fragment &next, const BarrierSite &site, uint32_t mask) {
  if (warp.weak && site.scope == isa::Scope::Cta)
    warp.weak->meet();
  else
    settleAll(warp);
  if (site.scope == isa::Scope::Cluster)
    return useClusterBarrier(warp, next, site, mask);
  if (site.scope == isa::Scope::Warpgroup)
    return meetInWarpgroup(warp, next, site, mask);
  const char *registers = next.frame->registers;
  const auto first = static_cast<unsigned>(__builtin_ctz(mask));
  const uint32_t number = addressIn(registers, {site.number, 0}, first) & 15;
  NumberedBarrier &barrier = warp.block->barriers[number];
  warp.block->arrivedAt |= 1u << number;
  if (site.threads.bits)
    barrier.threads = static_cast<uint32_t>(addressIn(registers, {site.threads, 0}, first));
  barrier.lanesOf(warp) |= mask;
  if (warp.weak)
    barrier.met.push_back(warp.weak.get());
  observersOf(warp).notify(events::Order, [&](Observer &one) { one.arrives(warp, number, mask); });
  if (site.counted.bits) {
    uint32_t lanes;
    std::memcpy(&lanes, registers + site.counted.slot, 4);
    lanes = (site.isNot ? ~lanes : lanes) & mask;
    barrier.counted += static_cast<uint32_t>(__builtin_popcount(lanes));
    barrier.areAll &= lanes == mask;
  }
  if (site.waits) {
    warp.atBarrier |= mask;
    barrier.waiting.push_back({&warp, next, &site});
  }
  ++warp.block->events;
  completeIfAll(*warp.block, barrier);
}

void takeFault(Warp &warp) {
  GridState &grid = *warp.block->grid;
  if (!warp.fault || grid.fault)
    return;
  grid.fault = warp.fault;
  grid.faultBlock = warp.block->index;
  grid.faultThread = warp.number * warpSize + grid.fault->lane;
}

Progress runTurn(BlockState &block) {
  // Diverged lanes have short turns, because lanes that spin may wait for other lanes of their warp.
  constexpr uint32_t blocksOfTurn = 16, blocksOfParted = 8;
  const uint64_t before = block.events;
  ++block.grid->weak.turn;
  block.grid->weak.pass();
  Progress result = Progress::None;
  Timing &timing = block.grid->timing;
  const std::vector<uint32_t> order = timing.order(static_cast<uint32_t>(block.warps.size()));
  size_t turn = 0;
  for (Warp &next : block.warps) {
    Warp &warp = order.empty() ? next : block.warps[order[turn++]];
    if (warp.isDone() || (warp.isPlain && warp.atBarrier == warp.alive))
      continue;
    if (warp.weak && warp.weak->sleeps()) {
      result = Progress::Some;
      continue;
    }
    const uint64_t instructions = warp.laneInstructions;
    const uint32_t running = warp.now.mask               ? warp.now.mask
                             : warp.others.ready.empty() ? 0
                                                         : warp.others.ready.front().mask;
    run(warp, timing.turn(running == warp.alive ? blocksOfTurn : blocksOfParted));
    if (warp.laneInstructions != instructions)
      result = std::max(result, warp.waitsInVain ? Progress::InVain : Progress::Some);
    else if (warp.canRun()) // the turn was too short
      result = Progress::Some;
    if (warp.fault)
      takeFault(warp);
    if (block.grid->fault || block.grid->isStopped)
      return Progress::Some;
  }
  return block.events != before ? Progress::Some : result;
}

} // namespace ptxray::machine
