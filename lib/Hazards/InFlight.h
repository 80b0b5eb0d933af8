#pragma once
// What a thread has started and not yet seen the end of. For each asynchronous operation of a body the state says how far
// away its end is, at worst over all ways that lead to a place:
//   cp.async ...               0  started, in no batch
//   cp.async.commit_group      1  in the newest batch
//   cp.async.commit_group      2  in the one before
//   cp.async.wait_group 1      Ended: all but the newest batch are complete
//   tcgen05.commit [bar]       Counted by the barrier object, until somebody waits for that
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
  static constexpr uint8_t mostBatches = 14, counted = 15, ended = 255;
  static constexpr size_t mostOperations = 224;

  InFlight(const Body &body, Places &places, llvm::ArrayRef<uint32_t> events, llvm::ArrayRef<uint32_t> alsoAt = {});

  State start() const;
  void step(State &state, uint32_t number) const;

  llvm::ArrayRef<Operation> operations() const { return all; }
  uint8_t level(const State &state, size_t operation) const { return state.of[operation]; }
  bool isPending(const State &state, size_t operation) const { return state.of[operation] != ended; }
  /// Of a group of which no batch was ever waited for: that of the first operation; `ended`: one was.
  uint8_t unwaited(const State &state, unsigned group) const { return state.of[all.size() + group]; }
  /// Operations of the group are in no batch, and all batches are complete.
  bool isAlone(const State &state, unsigned group) const { return state.of[all.size() + groups + group] == 0; }
  /// An operation that a barrier object counts was started, and no barrier object was ever waited for.
  bool isUnwaited(const State &state) const { return state.of.back() == 0; }

  std::vector<uint32_t> places;

private:
  static constexpr unsigned groups = 16;
  enum Alone : uint8_t { Alone = 0, Nothing = 1, Batches = 2 };
  static constexpr uint8_t notStarted = 254;

  void add(uint32_t number, Places &places);
  void begin(State &state, size_t operation) const;
  void commit(State &state, uint16_t which) const;
  void wait(State &state, uint16_t which, int64_t left) const;
  void await(State &state, const MemoryPlace &barrier) const;
  void forget(State &state) const;

  const Body &body;
  std::vector<Operation> all;
  std::vector<Counter> counters;
  llvm::DenseMap<uint32_t, MemoryPlace> awaited;               // by instruction
  llvm::DenseMap<uint32_t, std::pair<uint32_t, uint32_t>> byNumber; // operation + 1 or 0, counter + 1 or 0
};

/// The bits of the groups that instructions commit.
uint16_t committedGroups();
/// Whether a call ends all that is known: not one of a function that every runtime has.
bool mayWait(const Body &body, uint32_t number);

} // namespace ptxray
