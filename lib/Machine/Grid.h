#pragma once
// Thread blocks and their grid during a launch.
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
  std::vector<std::pair<Warp *, uint32_t>> arrived; // lanes of each warp
  uint32_t threads = 0;                             // number of participating threads; 0 for all of the block
  uint32_t counted = 0;                             // lanes with a true predicate
  bool areAll = true;
  std::vector<const WeakView *> met; // pointers of arrived warps, only for comparison, because a warp may have ended
  std::vector<WaitingAtBarrier> waiting;

  /// Returns the mask of lanes of a warp that have arrived.
  uint32_t &lanesOf(Warp &warp);
  /// Resets the barrier, but keeps its allocated memory.
  void clear();
};

struct BlockState {
  GridState *grid = nullptr;
  std::array<uint32_t, 3> index{};
  uint32_t rank = 0; // index of the block in its cluster
  std::deque<Warp> warps;
  uint32_t warpsAlive = 0;
  std::vector<uint8_t> shared;
  const Instruction *allocation = nullptr, *relinquish = nullptr; // the last such instructions for tensor memory
  std::shared_ptr<Agents> agents;                                 // shared by all blocks of the cluster
  std::vector<BlockState *> cluster;                              // all blocks of the cluster, by rank
  std::array<NumberedBarrier, 16> barriers;
  uint32_t arrivedAt = 0;   // bit mask of barriers with arrived threads
  NumberedBarrier complete; // the barrier that is currently completing
  std::vector<WaitingAtBarrier> waitingForCluster;
  std::map<uint32_t, NumberedBarrier> warpgroups; // indexed by warpgroup: the warps that have reached an instruction
                                                  // that the warpgroup executes together
  TensorMemory tensor;
  std::shared_ptr<WeakBlock> weak; // null if stores and loads take effect immediately
  uint64_t events = 0;             // number of arrivals and exits, to detect progress
  Attachments attached;

  uint32_t threads() const;
  bool isDone() const;
  /// Returns whether threads of the block may access the shared memory of another block of the cluster, which exists as
  /// long as that block runs. Operations that a block has started may access its own shared memory later.
  bool reaches(const BlockState &other) const { return &other == this || other.warpsAlive; }
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
  std::vector<ByteRun> sharedZones; // variables in shared memory, followed by the dynamic memory
  PrintedText printed;
  /// The address of the memory that the driver provides to a cooperative launch, for grid-wide barriers; 0 if none.
  uint64_t workspace = 0;
  std::optional<Fault> fault;
  std::array<uint32_t, 3> faultBlock{};
  uint32_t faultThread = 0;
  uint64_t laneInstructions = 0;
  uint64_t allocated = 0; // host bytes allocated for blocks and warps, including freed ones
  MatrixCache matrices;
  // Decoded descriptors and first lanes of tensor-core instructions.
  std::map<std::tuple<const void *, uint32_t, uint32_t>, std::shared_ptr<const void>> decoded;
  std::map<std::pair<const FunctionCode *, uint32_t>, std::vector<char>> images; // initial register contents, by warp
  LaneShapes shapes;
  std::shared_ptr<Observers> observers = std::make_shared<Observers>(); // the observers of this core
  bool isStopped = false;                                               // an observer stopped the launch
  std::vector<BlockState *> blocks;                                     // live blocks
  WeakMemory weak; // must be the last member: its destructor completes stores to the memory above
};

/// Returns the variable or the dynamic memory that contains an offset in shared memory; empty in a gap.
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

/// Initialises the warps of a cluster's blocks.
void beginWarps(llvm::ArrayRef<BlockState *> cluster);
/// Returns whether the blocks of a finished cluster can be reused for another one, which is faster than creating new
/// blocks.
bool canBeginAgain(const std::vector<BlockState *> &cluster);
void beginAgain(const std::vector<BlockState *> &cluster);
/// Copies the fault of a warp, if any, to the grid.
void takeFault(Warp &warp);
/// The result of one turn.
enum class Progress : uint8_t {
  None,   // no warp could run
  InVain, // all warps that ran tested an incomplete mbarrier phase
  Some,
};
/// Runs each warp for one turn.
Progress runTurn(BlockState &block);
/// Makes lanes arrive at a barrier. They continue immediately, or when the barrier completes.
void arrive(Warp &warp, const Fragment &next, const BarrierSite &site, uint32_t mask);
/// Completes barriers that waited only for threads that have exited.
void checkBarriers(BlockState &block);

/// Sets the special registers of a frame. If `isAgain`, sets only those that differ between the clusters of a grid.
void fillBlockSpecials(const Warp &warp, Frame &frame, bool isAgain = false);
/// Sets the special registers that are the same for warps with equal numbers in all blocks.
void fillThreadSpecials(const Warp &warp, const FunctionCode &code, char *registers);

} // namespace ptxray::machine
