#pragma once
// The state of an emulated warp: 32 lanes that execute together while they are on the same path. Lanes that diverge at
// a branch wait for each other at the join, but never forever: if the other lanes cannot arrive, the waiting ones
// continue.
#include "Machine/Agents.h"
#include "Machine/Observer.h"
#include "Machine/Program.h"
#include "Machine/Race.h"
#include "Machine/WeakMemory.h"
#include <cstring>

namespace ptxray::machine {

struct BlockState;

inline constexpr uint32_t noInstruction = ~0u;

/// The stack frame of a call, shared by the lanes that called the function together.
struct Frame {
  /// Initialises the registers from `image`.
  Frame(const FunctionCode &code, Frame *caller, uint32_t base, const std::vector<char> &image);
  const FunctionCode &code;
  Frame *caller;
  const CallSite *site = nullptr; // the call instruction; null for the kernel's frame
  uint32_t base;                  // offset of the frame in the local memory of each thread
  std::unique_ptr<char[]> room;
  char *registers;             // aligned
  std::vector<uint32_t> stack; // end of each lane's stack, raised by `alloca`; empty before the first `alloca`
  SlotFilter followed = 0;     // registers that an observer follows (`events::Registers`)
  Attachments attached;

  /// Sets the registers that one observer follows.
  void follow(ObserverSlot by, SlotFilter which) {
    followedBy[static_cast<size_t>(by)] = which;
    followed = 0;
    for (const SlotFilter one : followedBy)
      followed |= one;
  }

private:
  std::array<SlotFilter, static_cast<size_t>(ObserverSlot::Count)> followedBy{};
};

struct Join {
  uint32_t at; // code block
  Frame *frame;
  uint32_t expected; // mask of lanes; 0 if the join is complete
  uint32_t arrived;
  int parent; // index of the enclosing join, or -1
};
/// A group of lanes that execute together.
struct Fragment {
  uint32_t at = 0; // code block
  uint32_t mask = 0;
  int join = -1;
  Frame *frame = nullptr;
};

/// The first fault of a warp.
struct Fault {
  AccessFault access = AccessFault::None;
  std::string refusal; // description of an unsupported operation
  enum class Kind : uint8_t { Access, Assertion, Trap, Division, NotFinite, Unwritten, Undefined };
  Kind kind = Kind::Access;
  std::string text;                     // the lane's action, or the value that it computes
  uint32_t from = noInstruction;        // the first instruction that read the uninitialised value
  Race race;                            // the conflicting access of a race
  std::optional<unsigned> missing;      // a lane that did not execute the instruction, although all lanes must
  const Instruction *instead = nullptr; // the instruction that this lane executed instead; null if it exited
  const FunctionCode *code = nullptr;
  uint32_t instruction = 0;
  uint64_t address = 0;
  uint32_t bytes = 0;
  bool isWrite = false;
  bool isIllegal = false; // a GPU reports an illegal instruction
  unsigned lane = 0;
  Space space = Space::Generic;
};

/// Lanes that tested an mbarrier phase and found it incomplete.
struct VainWait {
  uint32_t instruction = 0, lanes = 0;
  BlockState *block = nullptr; // block whose shared memory contains the mbarrier object
  uint64_t offset = 0;
};

/// An instruction that all lanes of the warp must execute together, and that only some have reached.
struct PartialMeeting {
  const FunctionCode *code;
  uint32_t instruction;
  uint32_t missing; // lanes that may still arrive
  unsigned lane;    // one of the lanes that arrived
};

/// The lanes of a warp that are not running.
struct Divergence {
  std::vector<Fragment> ready;  // can run
  std::vector<Fragment> parted; // fragments that wait for other lanes at a code block that they execute together
  std::vector<Join> joins;
  bool hasLeftJoins = false; // lanes have left joins, so some joins may be complete
  std::optional<PartialMeeting> meeting;
};

/// The local memory of a warp's lanes.
struct LocalMemory {
  std::vector<uint8_t> bytes; // `perLane` bytes for each lane
  uint32_t perLane = 0;
};

/// Cached results of recent accesses.
struct AccessCache {
  LaneShape *const *shapes = nullptr;         // the grid's shapes for full warps
  std::array<const Allocation *, 8> recent{}; // recently used allocations, indexed by instruction
};

struct Warp {
  // Hot fields, used by each access, come first.
  BlockState *block = nullptr;
  AccessCache cache;
  Fragment now;        // the running lanes; its mask is 0 if no lane is running
  Doer doer;           // the agent to which reported accesses are attributed
  uint32_t number = 0; // index in the block
  uint32_t lanes = 0;  // lanes that exist at the start
  uint32_t alive = 0;
  bool isPlain = true;     // no weak accesses are simulated, and no observer needs each code block or instruction
  bool isFollowed = false; // an observer needs each instruction of the warp
  Divergence others;
  std::deque<Frame> frames;
  LocalMemory local;
  uint32_t atBarrier = 0;              // lanes that wait
  uint32_t atCluster = 0;              // lanes that have arrived at the cluster barrier in the current phase
  std::vector<Engine> engines;         // indexed by number
  std::optional<VainWait> waitsInVain; // the last failed wait for an mbarrier phase
  std::optional<Fault> fault;
  std::unique_ptr<WeakView> weak; // null if stores and loads take effect immediately
  uint64_t laneInstructions = 0;
  Attachments attached;

  bool isDone() const { return !alive; }
  bool canRun() const { return now.mask || !others.ready.empty(); }
  uint8_t *localOf(unsigned lane) { return local.bytes.data() + size_t(lane) * local.perLane; }
};

/// Performs all pending stores of the warp, and lets its next loads observe all performed stores.
inline void settleAll(Warp &warp) {
  if (warp.weak)
    warp.weak->settleAll();
}
/// Records a fault, and returns it so that the caller can fill it in. Returns null if the warp has faulted already,
/// because only the first fault is reported.
Fault *raise(Warp &warp, uint32_t instruction, unsigned lane = 0);
/// Returns the mask of lanes in which the predicate at the slot is true.
inline uint32_t predicateAt(const char *registers, Slot slot) {
  uint32_t lanes;
  std::memcpy(&lanes, registers + slot, 4);
  return lanes;
}
/// Writes `number` to all lanes of a register of 1, 32 or 64 bits.
void fill(char *registers, Place place, uint64_t number);
/// Creates the frame of a function that `lanes` enter, and sets its constants and special registers.
Frame &enter(Warp &warp, const FunctionCode &code, Frame *caller, uint32_t lanes);
/// Reuses the warp's kernel frame for a new block. Otherwise like `enter`.
Frame &enterAgain(Warp &warp);
/// Copies an argument or a result of a call to these lanes.
void copyPassed(Warp &warp, const Passed &from, Frame &source, const Passed &to, Frame &target, uint32_t mask);
/// Grows the local memory of each lane to at least `bytes` bytes.
void growLocal(Warp &warp, uint64_t bytes);
/// Return the end of a frame in the local memory: for one lane, and the maximum over all lanes.
uint32_t stackOf(const Frame &frame, unsigned lane);
uint32_t endOf(const Frame &frame);
} // namespace ptxray::machine
