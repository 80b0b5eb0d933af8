#pragma once
// Registers that count the iterations of a loop. One instruction repeatedly adds a constant; the others set the initial
// value.
//|  mov.u32 %r2, 0;
//| loop:
//|  add.u32 %r2, %r2, 4;  setp.lt.u32 %p1, %r2, 64;  @%p1 bra loop;        from 0 in steps of 4, until 64 is reached
#include "Flow/Graph.h"
#include "Flow/Numbers.h"
#include "Flow/Steps.h"
#include "llvm/ADT/DenseMap.h"

namespace ptxray {

class Analyses;

struct Counter {
  int64_t added = 0;
  uint32_t adds = ~0u; // the adding instruction
};

/// The comparison of a counter with a number that decides whether a loop ends.
struct LoopTest {
  uint32_t comparison = ~0u; // the instruction
  BlockId block = BlockId::None;
  bool staysIfTrue = false;
  int64_t away = 0; // offset that is added to the counter's value at the start of an iteration before the comparison
};

/// The values of a counter from the first iteration of a loop to the last.
struct Counts {
  uint32_t rounds = 0; // 0: nothing is known
  int64_t first = 0, last = 0;
  bool isWhole = false; // the loop has no further iterations
};

class Counters {
public:
  Counters(const Body &body, Analyses &analyses) : body(body), analyses(analyses) {}

  /// Returns the constant that instructions add to the register, if it is a counter.
  std::optional<Counter> find(LocalId local);
  /// Returns the test that ends the counter's loop, if there is exactly one.
  std::optional<LoopTest> testOf(LocalId local, const Counter &counter);
  /// Returns the values of the counter at an instruction before the addition. They follow from the initial value and
  /// the limit of the test.
  Counts counts(const Counter &counter, const Numbers &first, const std::optional<LoopTest> &test, const Numbers &limit,
                uint32_t instruction);

private:
  /// The only block from which a loop can be left.
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
  std::vector<Exit> exits; // indexed by the loop's header
  bool areExitsFound = false;
};

} // namespace ptxray
