#pragma once
// A warp: 32 lanes that execute together where they can. Lanes that part at a branch wait for each other where their
// ways meet, but no lane waits for ever: who waits goes on alone when the others cannot come.
#include "Machine/Agents.h"
#include "Machine/Observer.h"
#include "Machine/Program.h"
#include "Machine/Race.h"
#include "Machine/WeakMemory.h"
#include <cstring>

namespace ptxray::machine {

struct BlockState;

inline constexpr uint32_t noInstruction = ~0u;

/// A call of a function by the lanes that called it together.
struct Frame {
  /// The registers begin as the image has them.
  Frame(const FunctionCode &code, Frame *caller, uint32_t base, const std::vector<char> &image);
  const FunctionCode &code;
  Frame *caller;
  const CallSite *site = nullptr; // the call that made it
  uint32_t base;                  // where its memory begins in the local memory of each thread
  std::unique_ptr<char[]> room;
  char *registers;             // aligned
  std::vector<uint32_t> stack; // how far each lane has come beyond the frame's memory by `alloca`; empty: nowhere
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
  uint32_t at; // block of code
  Frame *frame;
  uint32_t expected; // lanes; 0: no lane is missing any more
  uint32_t arrived;
  int parent; // the join around it; -1: none
};
/// Lanes that go on together.
struct Fragment {
  uint32_t at = 0; // block of code
  uint32_t mask = 0;
  int join = -1;
  Frame *frame = nullptr;
};

/// Says what went wrong first, and where.
struct Fault {
  AccessFault access = AccessFault::None;
  std::string refusal; // or a construct that cannot be executed
  enum class Kind : uint8_t { Access, Assertion, Trap, Division, NotFinite, Unwritten, Undefined };
  Kind kind = Kind::Access;
  std::string text;                     // what the lane does, or the value that it computes
  uint32_t from = noInstruction;        // the instruction that read an uninitialised value first
  Race race;                            // or with this access
  std::optional<unsigned> missing;      // the lane that did not come to it, as all have to
  const Instruction *instead = nullptr; // what it came to, as all have to; null: it ended
  const FunctionCode *code = nullptr;
  uint32_t instruction = 0;
  uint64_t address = 0;
  uint32_t bytes = 0;
  bool isWrite = false;
  bool isIllegal = false; // a GPU calls it an illegal instruction
  unsigned lane = 0;
  Space space = Space::Generic;
};

/// Lanes that asked whether a phase of a barrier object is complete, and it was not.
struct VainWait {
  uint32_t instruction = 0, lanes = 0;
  BlockState *block = nullptr; // in whose shared memory the object is:
  uint64_t offset = 0;
};

/// Some lanes came to an instruction that all lanes of their warp execute together, and others did not come with them.
struct PartialMeeting {
  const FunctionCode *code;
  uint32_t instruction;
  uint32_t missing; // those that may still come
  unsigned lane;    // one that came
};

/// Where the lanes of a warp are that do not execute now.
struct Divergence {
  std::vector<Fragment> ready;  // those that could run
  std::vector<Fragment> parted; // those that wait for other lanes at a block of code that they execute together
  std::vector<Join> joins;
  bool hasLeftJoins = false; // lanes have left some: perhaps none is missing there any more
  std::optional<PartialMeeting> meeting;
};

/// The local memory of the lanes of a warp.
struct LocalMemory {
  std::vector<uint8_t> bytes; // `perLane` of each
  uint32_t perLane = 0;
};

/// What accesses have found the last time.
struct AccessCache {
  LaneShape *const *shapes = nullptr;         // of accesses by all lanes: those of the grid
  std::array<const Allocation *, 8> recent{}; // allocations, by instruction
};

struct Warp {
  // The fields that each access needs come first.
  BlockState *block = nullptr;
  AccessCache cache;
  Fragment now;        // mask 0: no lane executes
  Doer doer;           // whose accesses are reported now
  uint32_t number = 0; // in the block
  uint32_t lanes = 0;  // those that it begins with
  uint32_t alive = 0;
  bool isPlain = true;     // its accesses are not weak, and no observer needs each block of code or instruction
  bool isFollowed = false; // an observer needs each instruction
  Divergence others;
  std::deque<Frame> frames;
  LocalMemory local;
  uint32_t atBarrier = 0; // lanes
  uint32_t atCluster = 0; // lanes that have arrived at the barrier of the cluster, for the phase that is not complete
  std::vector<Engine> engines;         // by their number
  std::optional<VainWait> waitsInVain; // a wait for the phase of a barrier object
  std::optional<Fault> fault;
  std::unique_ptr<WeakView> weak; // null: stores and loads are done at once
  uint64_t laneInstructions = 0;
  Attachments attached;

  bool isDone() const { return !alive; }
  bool canRun() const { return now.mask || !others.ready.empty(); }
  uint8_t *localOf(unsigned lane) { return local.bytes.data() + size_t(lane) * local.perLane; }
};

/// Does what the warp has stored; its next loads see all that is done.
inline void settleAll(Warp &warp) {
  if (warp.weak)
    warp.weak->settleAll();
}
/// Returns the fault of the warp, to be filled in; null: it has one already, and the first is the one that is reported.
Fault *raise(Warp &warp, uint32_t instruction, unsigned lane = 0);
/// Returns the lanes for which the predicate at the slot is true.
inline uint32_t predicateAt(const char *registers, Slot slot) {
  uint32_t lanes;
  std::memcpy(&lanes, registers + slot, 4);
  return lanes;
}
/// Writes the same number to all lanes of a register of 1, 32 or 64 bits.
void fill(char *registers, Place place, uint64_t number);
/// Makes room for the frame of a function, which these lanes enter, fills its constants and special registers.
Frame &enter(Warp &warp, const FunctionCode &code, Frame *caller, uint32_t lanes);
/// The same for the function that is the first of the warp once more, in another block.
Frame &enterAgain(Warp &warp);
/// Gives these lanes an argument or a result of a call.
void copyPassed(Warp &warp, const Passed &from, Frame &source, const Passed &to, Frame &target, uint32_t mask);
/// Makes the local memory of each lane at least as large.
void growLocal(Warp &warp, uint64_t bytes);
/// The end of what a frame has of the local memory of a lane, and of all lanes.
uint32_t stackOf(const Frame &frame, unsigned lane);
uint32_t endOf(const Frame &frame);
} // namespace ptxray::machine
