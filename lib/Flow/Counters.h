#pragma once
// Registers that count the rounds of a loop: one instruction adds the same number to them again and again, and the
// others set them to where they begin.
//   mov.u32 %r2, 0;
// loop:
//   add.u32 %r2, %r2, 4;  setp.lt.u32 %p1, %r2, 64;  @%p1 bra loop;        from 0 in steps of 4, until 64 is reached
#include "Flow/Graph.h"
#include "Flow/Numbers.h"
#include "Flow/Steps.h"
#include "llvm/ADT/DenseMap.h"

namespace ptxray {

class Analyses;

struct Counter {
  int64_t added = 0;
  uint32_t adds = ~0u; // the instruction
};

/// The comparison of a counter with a number that decides whether control leaves its loop.
struct LoopTest {
  uint32_t comparison = ~0u; // the instruction
  BlockId block = BlockId::None;
  bool staysIfTrue = false;
  int64_t away = 0; // added to what the counter holds at the start of the round before it is compared
};

/// Holds the numbers that a counter has in a loop, from the first round to the last.
struct Counts {
  uint32_t rounds = 0; // 0: nothing is known
  int64_t first = 0, last = 0;
  bool isWhole = false; // else there may be more rounds
};

class Counters {
public:
  Counters(const Body &body, Analyses &analyses) : body(body), analyses(analyses) {}

  /// Returns what instructions add to the register, if it is a counter.
  std::optional<Counter> find(LocalId local);
  /// Returns the test that ends the counter's loop, if there is just one.
  std::optional<LoopTest> testOf(LocalId local, const Counter &counter);
  /// Returns what the counter holds at an instruction that comes before the addition. It follows from the number with
  /// which the counter begins and the one with which it is compared.
  Counts counts(const Counter &counter, const Numbers &first, const std::optional<LoopTest> &test, const Numbers &limit,
                uint32_t instruction);

private:
  /// The block from which control leaves a loop, if there is only one.
  struct Exit {
    BlockId block = BlockId::None;
    bool areSeveral = false;
  };
  std::optional<int64_t> addedTo(LocalId local, uint32_t writer);
  std::optional<Counter> counterOf(LocalId local);
  BlockId loopOf(const Counter &counter);
  bool comesBeforeAdding(const Counter &counter, uint32_t instruction);
  bool isTestedBefore(const LoopTest &test, uint32_t instruction);
  void findExits();

  const Body &body;
  Analyses &analyses;
  llvm::DenseMap<LocalId, std::optional<Counter>> counters;
  std::vector<Exit> exits; // by header
  bool areExitsFound = false;
};

} // namespace ptxray
