#pragma once
// Determines the possible values of registers, in all threads or in one thread:
//|  mov.u32 %r1, %tid.x;          0 .. 127, with `.reqntid 128`; in the last thread 127
//|  mul.wide.u32 %rd1, %r1, 16;   0 .. 2032 in steps of 16
//|  mov.u64 %rd2, tile;           tile
//|  add.s64 %rd3, %rd2, %rd1;     tile + 0 .. 2032 in steps of 16
// A register that several instructions write has the union of their results, or is a counter (Counters.h).
#include "Flow/Backward.h"
#include "Flow/BlockShape.h"
#include "Flow/Counters.h"
#include "Flow/Numbers.h"

namespace ptxray {

/// One thread of a block, in one iteration of a loop.
struct Thread {
  std::array<int64_t, 3> place{}; // %tid
  LocalId counter = LocalId::None;
  int64_t count = 0; // value of the counter
  bool operator==(const Thread &) const = default;
};

/// The possible values of a register at one instruction.
struct RegisterValue {
  bool isUnset = true;             // not computed yet
  bool isOfThread = false;         // depends on the number of the thread
  bool isOpaque = false;           // depends on something unknown
  bool areCounters = false;        // depends on several counters, or on another register with several writers
  LocalId counter = LocalId::None; // the only counter that the numbers depend on
  Numbers numbers;

  /// Returns whether the value is known to be the same in all threads and loop iterations.
  bool isFixed() const { return !isOfThread && counter == LocalId::None; }
  bool operator==(const RegisterValue &) const = default;
};

// NOLINTBEGIN(misc-no-recursion): the values of one thread ask those of all threads, which ask no others.
class Values : public Backward<Values, RegisterValue> {
public:
  /// Analyses a body; `Analyses::values` returns such an analysis for all threads. Numbers may be relative to the
  /// register `base`, as if it were a variable.
  Values(const Body &body, Analyses &analyses, LocalId base = LocalId::None);
  /// Analyses a body that may contain errors. Loops are not analysed.
  explicit Values(const Body &body);
  /// Returns the values in one thread, in one iteration of a loop. Values that do not depend on these are copied from
  /// `all`.
  explicit Values(Values &all, const Thread &thread = {});
  void setThread(const Thread &one);

  const RegisterValue &of(LocalId local) { return valueOf(local); }
  Numbers numbersOf(LocalId local) { return valueOf(local).numbers; }
  Numbers numbersOf(const Source &source);
  /// Returns the possible values of the operand at a node.
  Numbers numbersAt(uint32_t instruction, uint32_t node) {
    return numbersOf(sourceAt(body, instruction, static_cast<int>(node)));
  }
  /// Returns the value of a constant operand.
  std::optional<int64_t> numberOf(const Source &source);
  std::optional<int64_t> numberAt(uint32_t instruction, int node) {
    return numberOf(sourceAt(body, instruction, node));
  }
  /// Returns the values of the counter at an instruction before the addition, from the first iteration to the last.
  Counts counts(LocalId counter, uint32_t instruction);
  bool isCounter(LocalId local) { return counterOf(local).has_value(); }

private:
  friend Backward;
  /// For each source of a step, the value of its register or variable; null for other sources.
  using Inputs = std::array<const RegisterValue *, Step::mostSources>;

  bool isLeaf(LocalId local) const;
  bool addSources(LocalId local, llvm::SmallVectorImpl<LocalId> &sources);
  /// Returns whether the value depends on something unknown, and has neither bounds nor a step.
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
  Values *const all = nullptr; // the values in all threads; null if this object contains them
  const BlockShape shape;
  Thread thread;
  const LocalId base = LocalId::None;
  std::unique_ptr<Counters> own;
  Counters *counters = nullptr; // null if loops are not analysed
};
// NOLINTEND(misc-no-recursion)

} // namespace ptxray
