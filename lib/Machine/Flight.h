#pragma once
// Asynchronous operations in flight: how they start, and how threads observe their completion. The emulator detects a
// premature access in every run that executes it, no matter when it performs the operation.
#include "Machine/Access.h"
#include "Machine/BarrierObject.h"
#include "Machine/Lower.h"
#include "Machine/MatrixProduct.h"
#include <list>
#include <memory>

namespace ptxray::machine {

struct BlockState;

/// Payload of an asynchronous instruction.
struct StartedOperation {
  std::vector<Op> ops;        // operations that perform it
  int engine = -1;            // engine whose groups it joins, or -1
  bool isOfWarpgroup = false; // all warps of the warpgroup start the operation together
  bool isAsyncProxy = false;
  bool isOrdered = false;
  bool isCounted = false; // tracked by an mbarrier object:
  AddressOf object;
  bool readsShared = false;
  const Instruction *at = nullptr;
  HeldLocals held;
  llvm::SmallVector<Place, 4> results; // registers that it uses until it completes
  bool isAtOnce = false;               // a read of its results waits for the operation
};
void startOperation(char *registers, const Op &op, uint32_t mask, Warp &warp);

/// A pending operation and its registers' values at the start, or an arrival that follows other operations.
struct Pending {
  Warp *warp;
  Frame *frame;
  std::unique_ptr<Frame> copy;
  const Op *op;
  uint32_t mask;
  uint64_t object;     // offset of the mbarrier object that tracks it
  uint32_t number = 0; // number within its engine
  int engine = -1;
  bool isArrival = false, isOrdered = false;
  uint64_t begun = 0, due = 0; // in turns
  uint64_t id = 0;             // number among all operations of the cluster
};
struct Flights {
  std::list<Pending> pending; // oldest first
  uint64_t turn = 0, started = 0;
};
/// Completes operations of a cluster that are due, or all of them if its threads have exited. If all threads wait,
/// completes one of the operations for which they wait. Returns whether it completed any.
bool endOperations(BlockState &block, bool isStuck);

/// Payload of an instruction that commits groups of an engine or waits for them.
struct GroupUse {
  unsigned engine = 0;
  bool isOfWarpgroup = false;
  bool completesWrites = false; // waits for writes to global memory
  Place
      pending; // number of groups that may stay pending; if it is no register, the instruction waits for all operations
};
void commitGroup(char *registers, const Op &op, uint32_t mask, Warp &warp);
void awaitGroups(char *registers, const Op &op, uint32_t mask, Warp &warp);

/// Payload of an arrival at an mbarrier object after all operations that the warp has started complete.
struct ArrivalAfter {
  unsigned engine = 0;
  AddressOf object;
  BarrierUse use;
  bool isAdded = false; // adds one pending arrival to the phase
};
void arriveAfter(char *registers, const Op &op, uint32_t mask, Warp &warp);

/// Attributes the following accesses to an operation that the mbarrier object at `offset` tracks.
void setCounted(Warp &warp, BlockState &block, uint64_t offset);

/// Creates the agents of a cluster.
std::shared_ptr<Agents> agentsOf(uint32_t warps);
/// Returns the number of the agent for an engine of a warp, or of its warpgroup.
uint32_t agentOf(const Warp &warp, unsigned engine, bool isOfWarpgroup);

// ---- lowering

/// Combines the operations from index `first` into one, if the instruction is asynchronous.
void lowerStart(const Lowered &one, size_t first, FunctionCode &code, BodyLowering &lowering);
/// Returns the registers that an asynchronous instruction uses until it completes. Also returns, for each register of
/// the body, whether an asynchronous instruction uses it; empty if none does.
HeldLocals heldBy(const Body &body, uint32_t number);
std::vector<bool> heldLocals(const Body &body);
/// Generates an operation that reports uses of these registers by the instruction.
void lowerTouch(const Lowered &one, const Body &body, const std::vector<bool> &held, BodyLowering &lowering);
/// Generates operations for facts about groups and fences.
void lowerGroups(const Lowered &one, BodyLowering &lowering);
/// Returns the engine of the groups in a fact, or -1.
int engineOf(const Action &action);
/// Returns whether the engine performs its operations in the order of their start.
bool isPipelineEngine(unsigned engine);

} // namespace ptxray::machine
