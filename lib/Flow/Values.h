#pragma once
// This analysis finds the numbers that registers hold, in all threads or in one of them:
//   mov.u32 %r1, %tid.x;          0 .. 127, with `.reqntid 128`; in the last thread 127
//   mul.wide.u32 %rd1, %r1, 16;   0 .. 2032 in steps of 16
//   mov.u64 %rd2, tile;           tile
//   add.s64 %rd3, %rd2, %rd1;     tile + 0 .. 2032 in steps of 16
// A register that several instructions write is any of what they give, or a counter (Counters.h).
#include "Flow/Backward.h"
#include "Flow/BlockShape.h"
#include "Flow/Counters.h"
#include "Flow/Numbers.h"

namespace ptxray {

/// One thread of a block, in one round of a loop.
struct Thread {
  std::array<int64_t, 3> place{}; // %tid
  LocalId counter = LocalId::None;
  int64_t count = 0; // what the counter holds
  bool operator==(const Thread &) const = default;
};

/// Describes the values that a register may hold at one place.
struct RegisterValue {
  bool isUnset = true;             // nothing is known yet
  bool isOfThread = false;         // the number of the thread is in it
  bool isOpaque = false;           // something is in it of which nothing is known
  bool areCounters = false;        // it depends on several counters, or on another register with several writers
  LocalId counter = LocalId::None; // the only counter that the numbers depend on
  Numbers numbers;

  /// It is the same in all threads and rounds of loops, as far as is known.
  bool isFixed() const { return !isOfThread && counter == LocalId::None; }
  bool operator==(const RegisterValue &) const = default;
};

// NOLINTBEGIN(misc-no-recursion): the values of one thread ask those of all threads, which ask no others.
class Values : public Backward<Values, RegisterValue> {
public:
  /// `Analyses::values` has those of all threads. `base`: numbers may be after what that register holds as they may be
  /// after a variable.
  Values(const Body &body, Analyses &analyses, LocalId base = LocalId::None);
  /// Loops are not followed, so that the body may have faults.
  explicit Values(const Body &body);
  /// Returns the values in one thread, in one round of a loop. What does not depend on these is taken from `all`.
  explicit Values(Values &all, const Thread &thread = {});
  void setThread(const Thread &one);

  const RegisterValue &of(LocalId local) { return valueOf(local); }
  Numbers numbersOf(LocalId local) { return valueOf(local).numbers; }
  Numbers numbersOf(const Source &source);
  /// Returns the numbers that the operand at a node may be.
  Numbers numbersAt(uint32_t instruction, uint32_t node) {
    return numbersOf(sourceAt(body, instruction, static_cast<int>(node)));
  }
  /// Returns the number that an operand always is.
  std::optional<int64_t> numberOf(const Source &source);
  std::optional<int64_t> numberAt(uint32_t instruction, int node) {
    return numberOf(sourceAt(body, instruction, node));
  }
  /// Returns what the counter holds at an instruction that comes before the addition, from the first round to the last.
  Counts counts(LocalId counter, uint32_t instruction);
  bool isCounter(LocalId local) { return counterOf(local).has_value(); }

private:
  friend Backward;
  /// Holds what is known of the register or variable of each source of a step; null if it is something else.
  using Inputs = std::array<const RegisterValue *, Step::mostSources>;

  bool isLeaf(LocalId local) const;
  bool addSources(LocalId local, llvm::SmallVectorImpl<LocalId> &sources);
  /// Something is in it of which nothing is known, and no bounds or steps of the sum with that.
  static bool isUseless(const RegisterValue &value) {
    return value.isOpaque && !value.numbers.isBounded && value.numbers.step == 1;
  }
  RegisterValue transfer(LocalId local);
  static RegisterValue join(const RegisterValue &a, const RegisterValue &b);
  static RegisterValue widened(const RegisterValue &value);
  static RegisterValue unknown(LocalId local);

  std::optional<Counter> counterOf(LocalId local) { return counters ? counters->find(local) : std::nullopt; }
  bool isTaken(LocalId local) { return all && (local == thread.counter || all->of(local).isFixed()); }
  const RegisterValue *inputOf(const Source &source) const {
    return source.kind == Source::Name && body.symbol(source.local) ? &known(source.local) : nullptr;
  }
  RegisterValue taken(LocalId local);
  RegisterValue written(uint32_t number, LocalId local) const;
  RegisterValue ofCounter(LocalId local, const Counter &counter);
  RegisterValue beginningOf(LocalId local, const Counter &counter) const;
  Source limitOf(const std::optional<LoopTest> &test) const;
  Counts countsFrom(LocalId local, const Counter &counter, const Numbers &first, uint32_t instruction);
  Numbers numbersOf(const Source &source, const RegisterValue *input) const;
  Numbers specialNumbers(const Source &source) const;
  Numbers computed(const Step &step, const Inputs &inputs) const;
  void addInput(RegisterValue &value, const Source &source, const RegisterValue *input) const;

  const Body &body;
  const Definitions &definitions;
  Values *const all = nullptr; // null: these are of all threads
  const BlockShape shape;
  Thread thread;
  const LocalId base = LocalId::None;
  std::unique_ptr<Counters> own;
  Counters *counters = nullptr; // null: loops are not followed
};
// NOLINTEND(misc-no-recursion)

} // namespace ptxray
