#include "Emulate/Launch.h"
#include "Emulate/FaultWords.h"
#include "Emulate/FlightWords.h"
#include "Emulate/Halted.h"
#include "Emulate/Hangs.h"
#include "Emulate/LoadedParts.h"
#include "Launch/LaunchLimits.h"
#include "Machine/EndOfMemory.h"
#include "Machine/Flight.h"
#include "Machine/HostMemory.h"
#include "Machine/LocalLimit.h"
#include "Machine/Workspace.h"
#include "Observe/Counters.h"
#include "Observe/Origin.h"
#include "Observe/Trace.h"
#include "Observe/Unwritten.h"
#include "Observe/Watch.h"
#include "Observe/WatchedAccess.h"
#include "Source/Threads.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <thread>

namespace ptxray::machine {

/// Returns the program of a kernel. The first thread that needs the program lowers it.
static const Program &programOf(LoadedModule::Parts &parts, llvm::StringRef kernel, const LoweringOptions &how) {
  const std::lock_guard lock(parts.mutex);
  std::unique_ptr<Program> &program = parts.programs[{kernel.str(), how}];
  if (!program)
    program = lower(parts.module, parts.variables, kernel, parts.kinds, how);
  return *program;
}

/// Returns the options for lowering the kernel of a launch.
static LoweringOptions loweringFor(const Launch &launch, const Memory &memory) {
  LoweringOptions how{.checksNumbers = launch.checksNumbers, .partsAccesses = launch.timing.isWeak()};
  how.isObserved = launch.checks || memory.hasFresh || launch.certifies || !launch.observers.empty();
  how.followsValues = launch.certifies;
  if (launch.checks && launch.observers.empty() && !launch.certifies)
    how.observedAccess = watchedHandlerOf;
  return how;
}

const Program &programFor(LoadedModule &module, const Launch &launch) {
  return programOf(*module.parts, launch.kernel, loweringFor(launch, module.parts->memory));
}

// ---- the launch

using Time = std::chrono::steady_clock;

/// The clusters of a grid that have not started, for all cores. A core takes several consecutive clusters, because
/// these usually access consecutive memory, and cores should not fetch memory that another core will write.
struct ClusterQueue {
  uint64_t count = 0;
  uint64_t atOnce() const { return std::clamp<uint64_t>(count / 64, 1, 16); }
  std::atomic<uint64_t> next = 0;
  std::atomic<uint64_t> faulty = UINT64_MAX; // the first cluster with a fault so far; later ones need not start
  Time::time_point start = Time::now();
  uint64_t mostInUse = UINT64_MAX; // limit for the memory that this process may use, in bytes
};

/// Returns the limit for the memory of this process during a launch that starts now.
static uint64_t mostInUse(const Launch &launch) {
  return llvm::SaturatingAdd(memoryInUse(), launch.memoryBytes ? launch.memoryBytes : usualMemoryLimit());
}

/// Data shared by all cores of a launch.
struct SharedByCores {
  explicit SharedByCores(HaltSearch *halt = nullptr) : halt(halt) {}
  ClusterQueue queue;
  std::shared_ptr<GlobalShadows> shadows = std::make_shared<GlobalShadows>();
  HaltSearch *halt; // the search of a launch that is halted, or null
};

/// Creates the observers of one core of a launch.
static std::shared_ptr<Observers> observersFor(const GridState &grid, const SharedByCores &shared) {
  const Launch &launch = grid.launch;
  const Memory &memory = grid.memory;
  auto all = std::make_shared<Observers>();
  if (launch.checks)
    all->add(std::make_unique<RaceObserver>(shared.shadows));
  if (launch.checks || memory.hasFresh)
    all->add(std::make_unique<UnwrittenObserver>(/*hasFlags=*/launch.checks));
  if (launch.traced)
    all->add(std::make_unique<TraceObserver>(*launch.traced));
  if (launch.counts)
    all->add(std::make_unique<CountersObserver>());
  if (shared.halt)
    all->add(std::make_unique<HaltObserver>(*shared.halt));
  if (launch.certifies)
    all->add(std::make_unique<OriginObserver>(grid));
  for (const ObserverMaker &make : launch.observers)
    all->add(make());
  return all;
}

/// Runs the blocks that are alive on one core at the same time. Clusters start in order. The next cluster starts when
/// the current ones have ended, or wait for an event that only other clusters can cause.
class Schedule {
public:
  Schedule(const GridState &grid, SharedByCores &shared) : grid(grid), queue(shared.queue) {
    this->grid.observers = observersFor(grid, shared);
  }
  /// Runs until no cluster is left, or with `isOnlyOne` until one has ended.
  void run(bool isOnlyOne = false);
  bool isOver() const {
    return outcome.isComplete || outcome.isStopped || outcome.isOutOfTime || outcome.isOutOfMemory ||
           faulty != UINT64_MAX;
  }

  GridState grid;
  Outcome outcome;
  uint64_t faulty = UINT64_MAX; // the cluster with a fault

private:
  struct Cluster {
    uint64_t number;
    std::vector<std::unique_ptr<BlockState>> blocks;
  };
  bool beginCluster();
  std::vector<std::unique_ptr<BlockState>> newBlocks();
  void retire();
  bool endsEarly();
  bool takesTooMuch();
  void end(uint64_t cluster);

  ClusterQueue &queue;
  uint64_t next = 0, taken = 0; // the core's own clusters that have not started
  unsigned untilLook = 0;       // number of turns until the memory use is checked again
  uint64_t seen = 0;            // memory that was allocated at that time
  std::vector<Cluster> clusters;
  std::vector<std::vector<std::unique_ptr<BlockState>>> idle; // blocks of clusters that have ended
};

bool Schedule::beginCluster() {
  if (next == taken) {
    if (queue.next >= queue.count)
      return false;
    next = queue.next.fetch_add(queue.atOnce());
    taken = std::min(next + queue.atOnce(), queue.count);
  }
  if (next >= taken || next > queue.faulty)
    return false;
  const uint64_t number = next++;
  const bool isAgain = !idle.empty();
  clusters.push_back({number, isAgain ? std::move(idle.back()) : newBlocks()});
  if (isAgain)
    idle.pop_back();
  const auto &blocks = clusters.back().blocks;
  const std::array<uint64_t, 3> at = clusterAt(grid, number);
  for (uint32_t i = 0; i < blocks.size(); ++i) {
    const uint32_t x = i % grid.cluster[0], y = i / grid.cluster[0] % grid.cluster[1],
                   z = i / grid.cluster[0] / grid.cluster[1];
    blocks[i]->index = {static_cast<uint32_t>(at[0] * grid.cluster[0] + x),
                        static_cast<uint32_t>(at[1] * grid.cluster[1] + y),
                        static_cast<uint32_t>(at[2] * grid.cluster[2] + z)};
    grid.blocks.push_back(blocks[i].get());
  }
  blocks.front()->agents->cluster = number;
  if (isAgain)
    beginAgain(blocks.front()->cluster);
  else
    beginWarps(blocks.front()->cluster);
  return true;
}

/// Returns the blocks of a cluster, without warps.
std::vector<std::unique_ptr<BlockState>> Schedule::newBlocks() {
  std::vector<std::unique_ptr<BlockState>> blocks(size_t(grid.cluster[0]) * grid.cluster[1] * grid.cluster[2]);
  for (auto &block : blocks)
    block = std::make_unique<BlockState>();
  for (uint32_t rank = 0; rank < blocks.size(); ++rank) {
    BlockState &block = *blocks[rank];
    block.grid = &grid;
    block.rank = rank;
    for (const auto &other : blocks)
      block.cluster.push_back(other.get());
  }
  const uint32_t warps = (blocks.front()->threads() + warpSize - 1) / warpSize;
  const std::shared_ptr<Agents> agents = agentsOf(static_cast<uint32_t>(blocks.size()) * warps);
  for (const auto &block : blocks)
    block->agents = agents;
  return blocks;
}

void Schedule::retire() {
  constexpr size_t mostIdle = 16; // clusters
  llvm::erase_if(clusters, [&](Cluster &cluster) {
    auto &blocks = cluster.blocks;
    if (!llvm::all_of(blocks, [](const auto &block) { return block->isDone(); }))
      return false;
    for (const auto &block : blocks) {
      if (grid.launch.checks && !block->tensor.isFree() && outcome.diagnostics.empty())
        outcome.diagnostics = unfreedMemory(*block);
      for (const Warp &warp : block->warps)
        grid.laneInstructions += warp.laneInstructions;
    }
    for (const auto &block : blocks)
      llvm::erase(grid.blocks, block.get());
    if (grid.launch.watch)
      grid.launch.watch->blocksDone += blocks.size();
    if (idle.size() < mostIdle && canBeginAgain(blocks.front()->cluster))
      idle.push_back(std::move(blocks));
    return true;
  });
}

/// Returns whether the launch exceeds its memory limit. Queries the system only now and then.
bool Schedule::takesTooMuch() {
  constexpr uint64_t much = 32 << 20; // bytes
  if (untilLook-- && grid.allocated - seen < much)
    return false;
  untilLook = 256;
  seen = grid.allocated;
  return outcome.isOutOfMemory = memoryInUse() > queue.mostInUse;
}

bool Schedule::endsEarly() {
  outcome.isStopped = grid.launch.watch && grid.launch.watch->isStopped;
  if (outcome.isStopped || !grid.launch.seconds)
    return outcome.isStopped;
  const std::chrono::duration<double> taken = Time::now() - queue.start;
  outcome.isOutOfTime = taken.count() > grid.launch.seconds;
  return outcome.isOutOfTime;
}

/// Ends a cluster with a fault. If there are several, the first one is reported, regardless of which core finds it
/// first.
void Schedule::end(uint64_t cluster) {
  faulty = cluster;
  uint64_t before = queue.faulty;
  while (cluster < before && !queue.faulty.compare_exchange_weak(before, cluster)) {
  }
}

void Schedule::run(bool isOnlyOne) {
  constexpr unsigned turnsAlone = 64; // before another cluster starts in addition to the current ones
  constexpr size_t mostBlocks = 4096;
  // Maximum number of turns in which all warps only test phases. Warps may count these tests and stop.
  constexpr unsigned mostInVain = 20'000;
  unsigned turns = 0, inVain = 0;
  while (true) {
    if (clusters.empty() && !beginCluster()) {
      outcome.isComplete = true;
      return;
    }
    if (endsEarly() || clusters.front().number > queue.faulty)
      return;
    Progress progress = Progress::None;
    size_t alive = 0;
    for (const Cluster &cluster : clusters)
      for (const auto &block : cluster.blocks) {
        progress = std::max(progress, runTurn(*block));
        ++alive;
        if (takesTooMuch() || grid.isStopped)
          return;
        if (grid.fault) {
          end(cluster.number);
          return reportFault(grid, outcome);
        }
      }
    for (const Cluster &cluster : clusters) {
      if (endOperations(*cluster.blocks.front(), progress != Progress::Some))
        progress = Progress::Some;
      if (grid.fault) {
        end(cluster.number);
        return reportFault(grid, outcome);
      }
    }
    const size_t before = clusters.size();
    retire();
    if (clusters.size() != before) {
      turns = inVain = 0;
      if (isOnlyOne)
        return;
      continue;
    }
    const bool hasRun = progress == Progress::Some;
    if ((!hasRun || ++turns > turnsAlone) && alive < mostBlocks && beginCluster()) {
      turns = 0;
      continue;
    }
    inVain = progress == Progress::InVain ? inVain + 1 : 0;
    if (progress == Progress::None || inVain > mostInVain) {
      std::vector<BlockState *> blocks;
      for (const Cluster &cluster : clusters)
        for (const auto &block : cluster.blocks)
          blocks.push_back(block.get());
      end(clusters.front().number);
      outcome.diagnostics = explainHang(grid, blocks);
      outcome.error = DeviceError::Hang;
      return;
    }
  }
}

/// Returns why the kernel cannot be launched with these parameters, or an empty string.
static std::string problemOf(const Program &program, const Launch &launch) {
  if (!program.refusal.empty())
    return program.refusal;
  if (llvm::is_contained(launch.grid, 0u) || llvm::is_contained(launch.block, 0u))
    return "the grid has no blocks, or the block has no threads";
  if (launch.parameters.size() != program.parameterBytes)
    return std::to_string(launch.parameters.size()) + " bytes of parameters, but the kernel has " +
           std::to_string(program.parameterBytes);
  if (program.head.requiredBlock[0] && program.head.requiredBlock != launch.block)
    return "the kernel requires a different block size: `" + program.head.threadsName.str() + "`";
  if (launch.certifies && (!launch.timing.isEager() || !launch.checks || launch.checksNumbers))
    return "a certificate requires the default schedule and all checks";
  const FunctionCode &kernel = program.functions.front();
  if (const uint64_t local = kernel.frameBytes - guardBytes * kernel.guards.size(); local > mostLocal)
    return std::to_string(local) + " bytes of local memory a thread, " + std::to_string(mostLocal) + " at most";
  return inWords(brokenLimits(launch));
}

static void add(Schedule &other, Schedule &to) {
  if (other.faulty < to.faulty) {
    std::swap(other.outcome, to.outcome);
    std::swap(other.faulty, to.faulty);
  }
  to.outcome.isComplete &= other.outcome.isComplete;
  to.outcome.isOutOfTime |= other.outcome.isOutOfTime;
  to.outcome.isOutOfMemory |= other.outcome.isOutOfMemory;
  to.outcome.isStopped |= other.outcome.isStopped;
  to.grid.laneInstructions += other.grid.laneInstructions;
  for (const auto &[one, more] : llvm::zip(to.grid.observers->list(), other.grid.observers->list()))
    one->merge(*more);
}

/// Returns the number of cores that are worth starting if one cluster has taken `seconds`.
static unsigned coresFor(uint64_t clusters, double seconds, unsigned most) {
  constexpr double worthIt = 100e-6; // in seconds, for each core
  most = most ? most : std::max(1u, std::thread::hardware_concurrency());
#ifdef __wasm__ // has no others
  most = 1;
#endif
  return static_cast<unsigned>(
      std::min<double>({double(most), double(clusters) + 1, 1 + clusters * seconds / worthIt}));
}

/// Executes the clusters of a grid. If they may run on several cores, the duration of the first cluster determines the
/// number of cores.
static Outcome runOnCores(const GridState &grid, unsigned cores, SharedByCores &shared) {
  ClusterQueue &queue = shared.queue;
  queue.count = 1;
  for (int i = 0; i < 3; ++i)
    queue.count *= grid.grid[i] / grid.cluster[i];
  queue.mostInUse = mostInUse(grid.launch);
  Schedule first(grid, shared);
  const auto runAll = [](Schedule &one, bool isOnlyOne = false) {
    if (!hasMemoryFor([&] { one.run(isOnlyOne); }))
      one.outcome.isOutOfMemory = true;
  };
  if (cores == 1 || grid.launch.traced || grid.launch.certifies || !grid.launch.observers.empty() ||
      grid.program.needsOrder || grid.launch.isCooperative || queue.count == 1 || !grid.launch.timing.isEager())
    runAll(first);
  else {
    runAll(first, /*isOnlyOne=*/true);
    const std::chrono::duration<double> taken = Time::now() - queue.start;
    std::deque<Schedule> others;
    HelperThreads threads;
    const auto left = [&] { return queue.count - std::min<uint64_t>(queue.count, queue.next); };
    while (!first.isOver() && threads.size() + 1 < coresFor(left(), taken.count(), cores))
      if (!threads.start([&runAll, &one = others.emplace_back(grid, shared)] { runAll(one); })) {
        others.pop_back();
        break;
      }
    if (!first.isOver())
      runAll(first);
    threads.join();
    for (Schedule &other : others)
      add(other, first);
  }
  first.outcome.printed = first.grid.printed.text().str();
  first.outcome.printedLost = first.grid.printed.lost();
  for (const std::unique_ptr<Observer> &one : first.grid.observers->list())
    one->finish(first.grid, first.outcome);
  first.outcome.laneInstructions = first.grid.laneInstructions;
  return first.outcome;
}

KernelBytes bytesOf(LoadedModule &module, llvm::StringRef kernel, bool checks) {
  Launch launch;
  launch.kernel = kernel;
  launch.checks = checks;
  const Program &program = programFor(module, launch);
  return {program.sharedBytes, program.parameterBytes};
}

/// Returns the size of the clusters of a launch.
static std::array<uint32_t, 3> clusterOf(const Program &program, const Launch &launch) {
  std::array<uint32_t, 3> cluster = launch.cluster[0] ? launch.cluster : program.head.requiredCluster;
  for (uint32_t &size : cluster)
    size = std::max<uint32_t>(size, 1);
  return cluster;
}

static GridState gridOf(const Program &program, const LoadedModule &module, const Launch &launch,
                        const Workspace &workspace) {
  GridState grid(program, module.parts->memory, launch, clusterOf(program, launch));
  grid.workspace = workspace.address;
  for (const NamedPlace &one : program.shared)
    grid.sharedZones.push_back({static_cast<uint32_t>(one.offset), static_cast<uint32_t>(one.offset + one.bytes)});
  grid.sharedZones.push_back(
      {static_cast<uint32_t>(program.dynamicShared), static_cast<uint32_t>(program.dynamicShared + launch.shared)});
  return grid;
}

static std::string refusalOf(const Program &program, Launch launch) {
  launch.cluster = clusterOf(program, launch);
  return problemOf(program, launch);
}

Outcome launch(LoadedModule &module, const Launch &launch) {
  Outcome outcome;
  const Program &program = programFor(module, launch);
  outcome.refusal = module.parts->refusal.empty() ? refusalOf(program, launch) : module.parts->refusal;
  if (!outcome.refusal.empty())
    return outcome;
  module.parts->memory.setHeapLimit(launch.heapBytes);
  const Workspace workspace(module.parts->memory, launch);
  const GridState grid = gridOf(program, module, launch, workspace);
  SharedByCores shared;
  {
    const std::lock_guard lock(module.parts->mutex);
    if (module.parts->shadows)
      shared.shadows = std::move(module.parts->shadows);
  }
  outcome = runOnCores(grid, launch.cores, shared);
  shared.shadows->forget();
  module.parts->memory.dropFreedHeap();
  const std::lock_guard lock(module.parts->mutex);
  module.parts->shadows = shared.shadows;
  return outcome;
}

// ---- launches that are halted

struct HaltedLaunch::Parts {
  Parts(const Program &program, LoadedModule &module, const Launch &asked, const HaltRule &rule, Changes changes)
      : launch(asked), search(rule, changes), workspace(module.parts->memory, launch), shared(&search),
        memory(module.parts->memory), heapMark(memory.heapMark()),
        schedule(gridOf(program, module, launch, workspace), shared) {
    shared.queue.count = 1;
    for (int i = 0; i < 3; ++i)
      shared.queue.count *= schedule.grid.grid[i] / schedule.grid.cluster[i];
  }
  Launch launch;
  HaltSearch search;
  Workspace workspace;
  SharedByCores shared;
  Memory &memory;
  const uint64_t heapMark;
  Schedule schedule;
};

HaltedLaunch::HaltedLaunch(LoadedModule &module, const Launch &launch, const HaltRule &rule, Changes changes) {
  const Program &program = programFor(module, launch);
  parts = std::make_unique<Parts>(program, module, launch, rule, changes);
  result.refusal = module.parts->refusal.empty() ? refusalOf(program, launch) : module.parts->refusal;
  if (!result.refusal.empty())
    return;
  module.parts->memory.setHeapLimit(launch.heapBytes);
  parts->shared.queue.mostInUse = mostInUse(launch);
  const bool hadMemory = hasMemoryFor([&] { parts->schedule.run(); });
  result = parts->schedule.outcome;
  result.isOutOfMemory |= !hadMemory;
  result.printed = parts->schedule.grid.printed.text().str();
  result.printedLost = parts->schedule.grid.printed.lost();
  for (const std::unique_ptr<Observer> &one : parts->schedule.grid.observers->list())
    one->finish(parts->schedule.grid, result);
}

HaltedLaunch::~HaltedLaunch() { parts->memory.rewindHeap(parts->heapMark); }
GridState &HaltedLaunch::grid() const { return parts->schedule.grid; }
const HaltSearch &HaltedLaunch::search() const { return parts->search; }

} // namespace ptxray::machine
