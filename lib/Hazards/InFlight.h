#pragma once
// The asynchronous operations that a thread has started and whose completion it has not observed yet. The state
// contains a level for each operation of a body: its distance from completion, in the worst case over all paths to a
// point.
//   cp.async ...               0  started, in no batch
//   cp.async.commit_group      1  in the newest batch
//   cp.async.commit_group      2  in the one before
//   cp.async.wait_group 1      ended: all batches except the newest are complete
//   tcgen05.commit [bar]       counted by a barrier object, until a thread waits for that
// A group that is never committed, such as that of tcgen05.ld, starts with level 1. An instruction that reads a
// register loaded by such an operation must have waited for it. A call may wait for all operations.
#include "Flow/Solve.h"
#include "Hazards/Places.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallBitVector.h"

namespace ptxray {

/// An access that happens at some time between the start and the end of the operation.
struct LateAccess {
  MemoryPlace place;
  isa::WordId space;
  bool isWrite, isRead;
  bool isDescribed; // a descriptor determines the access, so its location is unknown
};

struct Operation {
  uint32_t number = 0; // the instruction
  uint16_t groups = 0;
  bool needsCommit = false;
  bool isCounted = false; // a barrier object tracks the operation from the start
  bool isCertain = false; // every thread that reaches the end has started the operation
  llvm::SmallVector<LateAccess, 2> accesses;
};

class InFlight {
public:
  using State = Levels;
  enum Level : uint8_t { Uncommitted = 0, MostBatches = 14, Counted, NotStarted = 254, Ended };

  /// Prepares the analysis. `alsoAt` are further instructions whose state is needed.
  InFlight(const Body &body, Analyses &analyses, Places &places, llvm::ArrayRef<uint32_t> events,
           llvm::ArrayRef<uint32_t> alsoAt = {});

  size_t levels() const { return bulkForgotten() + 1; }
  State start() const { return Levels::all(levels(), NotStarted); }
  void step(State &state, uint32_t number) const;
  bool join(State &known, const State &other, BlockId block, bool isBack) const;

  llvm::ArrayRef<Operation> operations() const { return all; }
  uint8_t level(const State &state, size_t operation) const { return state.of[operation]; }
  bool isPending(const State &state, size_t operation) const { return state.of[operation] < NotStarted; }
  /// Returns whether the instruction needs a register that the operation loads.
  bool reads(uint32_t number, size_t operation) const {
    const auto read = readers.find(number);
    return read != readers.end() && llvm::is_contained(read->second, operation);
  }
  /// Returns whether there was neither a wait for a batch since the first operation of the group, nor another write to
  /// shared memory.
  bool isUnwaited(const State &state, unsigned group) const { return state.of[unwaited(group)] <= MostBatches; }
  /// Returns whether operations of the group are in no batch, and all batches are complete.
  bool isAlone(const State &state, unsigned group) const { return state.of[alone(group)] == 0; }
  /// Returns whether there was no wait for operations of the group since the last of them started.
  bool isForgotten(const State &state, unsigned group) const { return state.of[forgotten(group)] == 0; }
  /// Returns whether there was no wait for a barrier object that may track copies since the first such copy.
  bool isUnwaited(const State &state) const { return state.of[bulkUnwaited()] == 0; }
  /// Returns whether there was a wait for a barrier object that may track copies.
  bool isAwaited(const State &state) const { return state.of[bulkUnwaited()] == Ended; }
  /// Returns whether there was no wait for a barrier object that may track copies since the last such copy.
  bool isForgotten(const State &state) const { return state.of[bulkForgotten()] == 0; }

  /// Returns the groups that a barrier object may track, or whose memory may be confused with that of a tracked
  /// operation.
  uint16_t countedGroups() const { return counted; }

  std::vector<uint32_t> places;

private:
  bool areCountersKnown() const { return counters.size() < mostOf(Limit::Completions); }
  static constexpr unsigned groupCount = 16;

  /// A barrier object that tracks the completion of operations.
  struct Counter {
    MemoryPlace barrier;
    uint16_t groups;    // groups of the tracked operations; 0 if the object tracks a single operation
    uint32_t operation; // the tracked operation, if there is only one
  };

  // Return indices into a state. A state contains the operations, then three levels for each group, then two levels for
  // operations that barrier objects track.
  size_t unwaited(unsigned group) const { return all.size() + group; }
  size_t alone(unsigned group) const { return unwaited(groupCount) + group; }
  size_t forgotten(unsigned group) const { return alone(groupCount) + group; }
  size_t bulkUnwaited() const { return forgotten(groupCount); }
  size_t bulkForgotten() const { return bulkUnwaited() + 1; }

  void find(llvm::ArrayRef<uint32_t> events, Places &where);
  void addOperation(uint32_t number, Places &where);
  void findCompletions(llvm::ArrayRef<uint32_t> events, Places &where);
  void findIrrelevantWaits(llvm::ArrayRef<uint32_t> events, Places &where, Analyses &analyses);
  void findCountedGroups();
  void findReaders();
  void findMeetings(Analyses &analyses, Places &where);

  void begin(State &state, const Operation &operation) const;
  void commit(State &state, uint16_t groups) const;
  void wait(State &state, uint16_t groups, int64_t left) const;
  void count(State &state, uint16_t groups) const;
  void await(State &state, uint32_t number) const;
  void overwrite(State &state, uint32_t number) const;

  const Body &body;
  Budget &budget;
  std::vector<Operation> all;
  std::vector<Counter> counters;
  uint16_t counted = 0;
  // Keyed by instruction:
  llvm::DenseMap<uint32_t, uint32_t> started;            // operation that each instruction starts
  llvm::DenseMap<uint32_t, llvm::SmallBitVector> ending; // for each wait, the operations that its barrier object tracks
  llvm::DenseSet<uint32_t> isIrrelevant;                 // waits that do not concern copies
  llvm::DenseMap<uint32_t, MemoryPlace> overwritten;     // shared memory that each instruction overwrites
  llvm::DenseMap<uint32_t, llvm::SmallVector<uint32_t, 1>>
      readers;                  // for each instruction, the operations that load a register that it reads
  std::vector<uint8_t> certain; // indexed by level: the level for an operation that certainly was started
  std::vector<bool> isDecided;  // indexed by block: only parameters decide the path on which threads reach it
};

/// Returns whether the operation writes shared memory, possibly at that location.
bool mayWrite(const Operation &operation, const MemoryPlace &place);

/// Returns how many groups the wait may leave pending.
int64_t leftPending(const Body &body, uint32_t wait, const Action &action);

/// Returns a mask of the groups that operations join only after a commit.
uint16_t committedGroups();

} // namespace ptxray
