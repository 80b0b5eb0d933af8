#pragma once
// Asynchronous operations while they are in flight: what starts them, and what sees their end. An access that comes too
// early is found in every run on whose path it lies, however early the machine does the operation.
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
  std::vector<Op> ops;        // the operations that do it
  int engine = -1;            // the engine whose groups it joins; -1: none
  bool isOfWarpgroup = false; // all warps of the group start it together
  bool isAsyncProxy = false;
  bool isOrdered = false;
  bool isCounted = false; // a barrier object counts it:
  AddressOf object;
  bool readsShared = false;
  const Instruction *at = nullptr;
  HeldLocals held;
  llvm::SmallVector<Place, 4> results; // registers that belong to it until it is complete
  bool isAtOnce = false;               // reading its results waits for it
};
void startOperation(char *registers, const Op &op, uint32_t mask, Warp &warp);

/// An operation that has begun and not ended, with the registers as they were; or an arrival when others have ended.
struct Pending {
  Warp *warp;
  Frame *frame;
  std::unique_ptr<Frame> copy;
  const Op *op;
  uint32_t mask;
  uint64_t object;     // the offset of the barrier object that it is for
  uint32_t number = 0; // its number in its engine
  int engine = -1;
  bool isArrival = false, isOrdered = false;
  uint64_t begun = 0, due = 0; // turns
  uint64_t id = 0;             // among all that the cluster has started
};
struct Flights {
  std::list<Pending> pending; // the oldest first
  uint64_t turn = 0, started = 0;
};
/// Ends the operations of a cluster that are due, or all if its threads have ended; if all threads wait one more, of
/// those that they wait for. Returns whether there was one.
bool endOperations(BlockState &block, bool isStuck);

/// Payload of what commits, or waits for, groups of an engine.
struct GroupUse {
  unsigned engine = 0;
  bool isOfWarpgroup = false;
  bool completesWrites = false; // to global memory
  Place pending;                // how many groups may be; none: all operations are waited for
};
void commitGroup(char *registers, const Op &op, uint32_t mask, Warp &warp);
void awaitGroups(char *registers, const Op &op, uint32_t mask, Warp &warp);

/// Payload of an arrival at a barrier object when all that the warp has started is complete.
struct ArrivalAfter {
  unsigned engine = 0;
  AddressOf object;
  BarrierUse use;
  bool isAdded = false; // the phase waits for one arrival more
};
void arriveAfter(char *registers, const Op &op, uint32_t mask, Warp &warp);

/// Attributes the following accesses to an operation that the barrier object at `offset` counts.
void setCounted(Warp &warp, BlockState &block, uint64_t offset);

/// Returns the agents of a cluster.
std::shared_ptr<Agents> agentsOf(uint32_t warps);
/// Returns the number of the agent that is an engine of a warp, or of its group of warps.
uint32_t agentOf(const Warp &warp, unsigned engine, bool isOfWarpgroup);

// ---- lowering

/// Makes one operation of those since `first`, if the instruction is asynchronous.
void lowerStart(const Lowered &one, size_t first, FunctionCode &code, BodyLowering &lowering);
/// Returns the registers that the instruction holds, and for each of the body whether some instruction does; empty:
/// none.
HeldLocals heldBy(const Body &body, uint32_t number);
std::vector<bool> heldLocals(const Body &body);
/// Makes an operation that reports that the instruction uses some of them.
void lowerTouch(const Lowered &one, const Body &body, const std::vector<bool> &held, BodyLowering &lowering);
/// Makes operations of facts about groups and fences.
void lowerGroups(const Lowered &one, BodyLowering &lowering);
/// Returns the engine of the groups that a fact names; -1: none.
int engineOf(const Action &action);
/// Returns whether the engine does its operations in the order in which they were started.
bool isPipelineEngine(unsigned engine);

} // namespace ptxray::machine
