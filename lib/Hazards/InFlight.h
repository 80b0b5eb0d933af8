#pragma once
// What a thread has started and not yet seen the end of. For each asynchronous operation of a body the state says how
// far away its end is, at worst over all ways that lead to a place:
//   cp.async ...               0  started, in no batch
//   cp.async.commit_group      1  in the newest batch
//   cp.async.commit_group      2  in the one before
//   cp.async.wait_group 1      Ended: all but the newest batch are complete
//   tcgen05.commit [bar]       counted by barrier objects, until somebody waits for one of them
// A group that is never committed, as that of tcgen05.ld, begins with 1. A call may wait for everything.
#include "Flow/Solve.h"
#include "Hazards/Places.h"

namespace ptxray {

/// An access that happens some time between the start of the operation and its end.
struct LateAccess {
  MemoryPlace place;
  isa::WordId space;
  bool isWrite, isRead;
  bool isDescribed; // by a descriptor: the place is not known
};

struct Operation {
  uint32_t number = 0; // the instruction
  uint16_t groups = 0;
  bool isCommitted = false; // groups that need no commit
  isa::Proxy proxy = isa::Proxy::Generic;
  bool isCounted = false; // by a barrier object from the beginning
  bool isCertain = false; // every thread that comes to the end has started it
  llvm::SmallVector<LateAccess, 2> accesses;
};

/// A barrier object that counts the end of operations.
struct Counter {
  uint32_t number;
  uint16_t groups = 0; // 0: of the one operation
  MemoryPlace barrier;
};

class InFlight {
public:
  using State = Levels;
  static constexpr uint8_t mostBatches = 14, counted = 15, notStarted = 254, ended = 255;
  static constexpr size_t mostOperations = 1000;

  InFlight(const Body &body, Analyses &analyses, Places &places, llvm::ArrayRef<uint32_t> events,
           llvm::ArrayRef<uint32_t> alsoAt = {});

  State start() const;
  void step(State &state, uint32_t number) const;
  bool join(State &known, const State &other, BlockId block, bool isBack) const;

  llvm::ArrayRef<Operation> operations() const { return all; }
  uint8_t level(const State &state, size_t operation) const { return state.of[operation]; }
  bool isPending(const State &state, size_t operation) const { return state.of[operation] < notStarted; }
  /// Of the first operation of the group: no batch was waited for since, and nothing else wrote shared memory.
  bool isUnwaited(const State &state, unsigned group) const { return state.of[all.size() + group] <= mostBatches; }
  /// Operations of the group are in no batch, and all batches are complete.
  bool isAlone(const State &state, unsigned group) const { return state.of[all.size() + groups + group] == 0; }
  /// Operations of the group were started, and nothing that waits for some of them comes after.
  bool isForgotten(const State &state, unsigned group) const { return state.of[all.size() + 2 * groups + group] == 0; }
  /// Of the first operation that a barrier object counts: no barrier object was waited for since.
  bool isUnwaited(const State &state) const { return state.of[all.size() + 3 * groups] == 0; }
  /// Of the last one.
  bool isForgotten(const State &state) const { return state.of.back() == 0; }

  std::vector<uint32_t> places;

private:
  static constexpr unsigned groups = 16;
  void add(uint32_t number, Places &places);
  void begin(State &state, size_t operation) const;
  void commit(State &state, uint16_t which) const;
  void wait(State &state, uint16_t which, int64_t left) const;
  void await(State &state, const MemoryPlace &barrier) const;
  void forget(State &state) const;
  void overwrite(State &state, uint32_t number) const;
  void findReaders();
  void findMeetings(Analyses &analyses);

  const Body &body;
  std::vector<Operation> all;
  std::vector<Counter> counters;
  llvm::DenseMap<uint32_t, MemoryPlace> awaited;    // by instruction
  llvm::DenseMap<uint32_t, MemoryPlace> overwrites; // shared memory that a thread writes itself, by instruction
  std::vector<bool> isDecided;                      // by block: parameters alone say by which way threads come to it
  llvm::DenseMap<uint32_t, llvm::SmallVector<uint32_t, 1>>
      readers;                                 // by instruction: operations that load its registers
  llvm::DenseMap<uint32_t, uint32_t> byNumber; // operations, by instruction
};

/// The bits of the groups that instructions commit.
uint16_t committedGroups();
/// Whether a call ends all that is known: not one of a function that every runtime has.
bool mayWait(const Body &body, uint32_t number);

} // namespace ptxray
