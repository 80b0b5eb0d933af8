#pragma once
// The state of a thread says what it has started and not yet seen the end of. For each asynchronous operation of a body
// it says how far away its end is, at worst over all ways that lead to a place:
//   cp.async ...               0  started, in no batch
//   cp.async.commit_group      1  in the newest batch
//   cp.async.commit_group      2  in the one before
//   cp.async.wait_group 1      ended: all but the newest batch are complete
//   tcgen05.commit [bar]       counted by a barrier object, until somebody waits for that
// A group that is never committed, as that of tcgen05.ld, begins with 1, and an instruction that reads a register that
// it loads has waited for it. A call may wait for everything.
#include "Flow/Solve.h"
#include "Hazards/Places.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallBitVector.h"

namespace ptxray {

/// An access that happens some time between the start of the operation and its end.
struct LateAccess {
  MemoryPlace place;
  isa::WordId space;
  bool isWrite, isRead;
  bool isDescribed; // a descriptor says where it is: the place is not known
};

struct Operation {
  uint32_t number = 0; // the instruction
  uint16_t groups = 0;
  bool needsCommit = false;
  bool isCounted = false; // a barrier object counts it from the beginning
  bool isCertain = false; // every thread that comes to the end has started it
  llvm::SmallVector<LateAccess, 2> accesses;
};

class InFlight {
public:
  using State = Levels;
  enum Level : uint8_t { Uncommitted = 0, MostBatches = 14, Counted, NotStarted = 254, Ended };

  /// `alsoAt`: more places to look at.
  InFlight(const Body &body, Analyses &analyses, Places &places, llvm::ArrayRef<uint32_t> events,
           llvm::ArrayRef<uint32_t> alsoAt = {});

  size_t levels() const { return bulkForgotten() + 1; }
  State start() const { return Levels::all(levels(), NotStarted); }
  void step(State &state, uint32_t number) const;
  bool join(State &known, const State &other, BlockId block, bool isBack) const;

  llvm::ArrayRef<Operation> operations() const { return all; }
  uint8_t level(const State &state, size_t operation) const { return state.of[operation]; }
  bool isPending(const State &state, size_t operation) const { return state.of[operation] < NotStarted; }
  /// The instruction needs a register that the operation loads.
  bool reads(uint32_t number, size_t operation) const {
    const auto read = readers.find(number);
    return read != readers.end() && llvm::is_contained(read->second, operation);
  }
  /// No batch was waited for since the first operation of the group, and nothing else wrote shared memory.
  bool isUnwaited(const State &state, unsigned group) const { return state.of[unwaited(group)] <= MostBatches; }
  /// Operations of the group are in no batch, and all batches are complete.
  bool isAlone(const State &state, unsigned group) const { return state.of[alone(group)] == 0; }
  /// No wait for operations of the group comes after the last that was started.
  bool isForgotten(const State &state, unsigned group) const { return state.of[forgotten(group)] == 0; }
  /// No barrier object that may tell of copies was waited for since the first operation that one counts.
  bool isUnwaited(const State &state) const { return state.of[bulkUnwaited()] == 0; }
  /// One was waited for since.
  bool isAwaited(const State &state) const { return state.of[bulkUnwaited()] == Ended; }
  /// No barrier object that may tell of copies was waited for since the last operation that one counts.
  bool isForgotten(const State &state) const { return state.of[bulkForgotten()] == 0; }

  /// Returns the groups of which a barrier object may tell, or for whose memory what it tells of may be taken.
  uint16_t countedGroups() const { return counted; }

  std::vector<uint32_t> places;

private:
  bool areCountersKnown() const { return counters.size() < mostOf(Limit::Completions); }
  static constexpr unsigned groupCount = 16;

  /// A barrier object that counts the end of operations.
  struct Counter {
    MemoryPlace barrier;
    uint16_t groups;    // 0: of one operation
    uint32_t operation; // then that operation
  };

  // The places in a state: operations, for each group three levels, two of what barrier objects count.
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
  // One for each instruction:
  llvm::DenseMap<uint32_t, uint32_t> started;            // an operation
  llvm::DenseMap<uint32_t, llvm::SmallBitVector> ending; // operations that a barrier counts which it waits for
  llvm::DenseSet<uint32_t> isIrrelevant;                 // waits that tell nothing of copies
  llvm::DenseMap<uint32_t, MemoryPlace> overwritten;     // shared memory that the thread writes itself
  llvm::DenseMap<uint32_t, llvm::SmallVector<uint32_t, 1>> readers; // operations that load a register that it reads
  std::vector<uint8_t> certain;                                     // by level: that of an operation that is certain
  std::vector<bool> isDecided; // by block: parameters alone say by which way threads come to it
};

/// The operation writes shared memory, perhaps there.
bool mayWrite(const Operation &operation, const MemoryPlace &place);

/// Returns how many groups the wait may leave pending.
int64_t leftPending(const Body &body, uint32_t wait, const Action &action);

/// Returns the bits of the groups that operations are in only when an instruction says so.
uint16_t committedGroups();

} // namespace ptxray
