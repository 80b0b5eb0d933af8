#pragma once
// Blocks of threads, and the grid that they belong to, while a launch runs.
#include "Machine/LaneShape.h"
#include "Machine/LaunchData.h"
#include "Machine/MatrixProduct.h"
#include "Machine/Memory.h"
#include "Machine/Printf.h"
#include "Machine/TensorMemory.h"
#include "Machine/Timing.h"
#include "Machine/Warp.h"
#include <chrono>

namespace ptxray::machine {

struct GridState;

struct WaitingAtBarrier {
  Warp *warp;
  Fragment fragment;
  const BarrierSite *site;
};
struct NumberedBarrier {
  std::vector<std::pair<Warp *, uint32_t>> arrived; // lanes of warps
  uint32_t threads = 0;                             // how many threads it is for; 0: all of the block
  uint32_t counted = 0;                             // lanes whose predicate is true
  bool areAll = true;
  std::vector<const WeakView *>
      met; // those of the warps that have arrived, to be compared alone: a warp may have ended
  std::vector<WaitingAtBarrier> waiting;

  /// Returns the lanes of a warp that have arrived.
  uint32_t &lanesOf(Warp &warp);
  /// Begins anew, as if no thread had arrived. The memory that it has is kept.
  void clear();
};

struct BlockState {
  GridState *grid = nullptr;
  std::array<uint32_t, 3> index{};
  uint32_t rank = 0; // the number of the block in its cluster
  std::deque<Warp> warps;
  uint32_t warpsAlive = 0;
  std::vector<uint8_t> shared;
  const Instruction *allocation = nullptr, *relinquish = nullptr; // the last ones, of tensor memory
  std::shared_ptr<Agents> agents;                                 // one list for all blocks of the cluster, too
  std::vector<BlockState *> cluster;                              // all blocks of the cluster, by their rank
  std::array<NumberedBarrier, 16> barriers;
  uint32_t arrivedAt = 0;   // a bit for each barrier at which threads have arrived
  NumberedBarrier complete; // the one that is being completed
  std::vector<WaitingAtBarrier> waitingForCluster;
  std::map<uint32_t, NumberedBarrier>
      warpgroups; // which warps have come to what a warpgroup waits for together, by its number
  TensorMemory tensor;
  std::shared_ptr<WeakBlock> weak; // null: stores and loads are done at once
  uint64_t events = 0;             // arrivals and ends: whether anything happens
  Attachments attached;

  uint32_t threads() const;
  bool isDone() const;
};

struct GridState {
  GridState(const Program &program, Memory &memory, const Launch &launch, std::array<uint32_t, 3> cluster)
      : program(program), memory(memory), launch(launch), block(launch.block), cluster(cluster), grid(launch.grid),
        parameters(launch.parameters), timing(launch.timing), printed(launch.printedBytes), shapes(program.accesses) {}

  const Program &program;
  Memory &memory;
  const Launch &launch;
  std::array<uint32_t, 3> block, cluster, grid;
  std::vector<uint8_t> parameters;
  Timing timing;
  std::vector<ByteRun> sharedZones; // the variables in shared memory, and the dynamic memory after them
  PrintedText printed;
  /// The address of what the driver gives a cooperative launch, for barriers of its whole grid; 0: it gives nothing.
  uint64_t workspace = 0;
  std::optional<Fault> fault;
  std::array<uint32_t, 3> faultBlock{};
  uint32_t faultThread = 0;
  uint64_t laneInstructions = 0;
  uint64_t allocated = 0; // bytes of this computer that blocks and warps took, those that were freed too
  MatrixCache matrices;
  std::map<std::tuple<const void *, uint32_t, uint32_t>, std::shared_ptr<const void>>
      decoded; // what instructions of tensor cores made of their descriptors and first lanes
  std::map<std::pair<const FunctionCode *, uint32_t>, std::vector<char>> images; // registers to begin with, by warp
  LaneShapes shapes;
  std::shared_ptr<Observers> observers = std::make_shared<Observers>(); // of this core
  bool isStopped = false;                                               // an observer has stopped the launch
  std::vector<BlockState *> blocks;                                     // the blocks that are alive
  WeakMemory weak; // ends first: it finishes stores to what is above
};

/// Returns the variable or the dynamic memory that a place in shared memory belongs to; empty: it is between them.
inline ByteRun sharedZoneAt(const GridState &grid, uint64_t offset) {
  for (const ByteRun &zone : llvm::reverse(grid.sharedZones))
    if (offset >= zone.begin)
      return offset < zone.end ? zone : ByteRun();
  return {};
}

inline const Observers &observersOf(const Warp &warp) { return *warp.block->grid->observers; }

/// Returns the number of the warp among the agents of its cluster.
inline uint32_t agentOf(const Warp &warp) {
  return warp.block->rank * static_cast<uint32_t>(warp.block->warps.size()) + warp.number + 1;
}

/// Prepares the warps of the blocks of a cluster.
void beginWarps(llvm::ArrayRef<BlockState *> cluster);
/// Returns whether the blocks of a cluster, which have ended, can be used for another one: that takes less time than to
/// make new ones.
bool canBeginAgain(const std::vector<BlockState *> &cluster);
void beginAgain(const std::vector<BlockState *> &cluster);
/// The fault of a warp, if it has one, is that of the grid.
void takeFault(Warp &warp);
/// Says what a turn came to.
enum class Progress : uint8_t {
  None,   // no warp could run
  InVain, // who ran ended by asking whether a phase of a barrier object is complete, and it was not
  Some,
};
/// Lets each warp run for a turn.
Progress runTurn(BlockState &block);
/// The lanes come to the barrier; they go on at once, or when it is complete.
void arrive(Warp &warp, const Fragment &next, const BarrierSite &site, uint32_t mask);
/// Lanes have ended: barriers may be complete.
void checkBarriers(BlockState &block);

/// Fills in the special registers of a frame. `isAgain`: only those that differ between the clusters of a grid.
void fillBlockSpecials(const Warp &warp, Frame &frame, bool isAgain = false);
/// Fills in the special registers of its threads, which are the same for warps of the same number in all blocks.
void fillThreadSpecials(const Warp &warp, const FunctionCode &code, char *registers);

} // namespace ptxray::machine
