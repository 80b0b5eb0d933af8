#include "Flow/Counters.h"
#include "Flow/Analyses.h"
#include "Isa/Words.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

constexpr unsigned mostWriters = 8, mostRoundsOfLoop = 1 << 16;
/// Limit on steps of counters, so that counters do not overflow within the maximum number of iterations.
constexpr int64_t mostAdded = int64_t(1) << 40;

/// Returns the constant that the instruction adds to the register, possibly through one temporary that no other
/// instruction writes.
std::optional<int64_t> Counters::addedTo(LocalId local, uint32_t writer) {
  for (unsigned hop = 0; hop < 2 && writer != Definitions::none; ++hop) {
    const Step step = stepOf(body, writer);
    if (step.isGuarded || step.isBroadcast() || !step.count || step.list[0].flags || !step.list[0].isSum())
      return std::nullopt;
    const LocalId source = step.list[0].local;
    const bool isAdd = step.is(isa::Operation::Add, 2), isSum = isAdd || step.is(isa::Operation::Sub, 2);
    if (isSum && source == local && step.list[1].kind == Source::Number) {
      const int64_t added = asResult(*step.computation, step.list[1].number);
      if (added < -mostAdded || added > mostAdded)
        return std::nullopt;
      return isAdd ? added : -added;
    }
    if (!step.is(isa::Operation::Mov, 1) || !body.symbol(source))
      return std::nullopt;
    writer = body.definitions.only(source);
  }
  return std::nullopt;
}

std::optional<Counter> Counters::counterOf(LocalId local) {
  const Definitions &definitions = body.definitions;
  if (!definitions.isWritten(local) || definitions.only(local) != Definitions::none ||
      definitions.hasMore(local, mostWriters))
    return std::nullopt;
  Counter counter;
  unsigned adding = 0;
  bool isCertain = true;
  definitions.eachWriter(local, [&](uint32_t number) {
    isCertain &= body.guard(number) == LocalId::None;
    if (const std::optional<int64_t> added = isCertain ? addedTo(local, number) : std::nullopt) {
      counter = {*added, number};
      ++adding;
    }
  });
  return isCertain && adding == 1 && counter.added ? std::optional(counter) : std::nullopt;
}

std::optional<Counter> Counters::find(LocalId local) {
  const auto [known, isNew] = counters.try_emplace(local);
  if (isNew)
    known->second = counterOf(local);
  return known->second;
}

// ---- rounds of loops
/// Finds the only exit of each loop.
void Counters::findExits() {
  const Graph &graph = analyses.graph();
  const Loops &loops = analyses.loops();
  areExitsFound = true;
  exits.assign(graph.size(), {});
  for (const BlockId block : graph.order) {
    const bool endsHere = graph[block].leaves || graph[block].aborts;
    unsigned depth = 0;
    for (BlockId header = loops.header[indexOf(block)]; header != BlockId::None;
         header = loops.outer[indexOf(header)]) {
      if (!analyses.budget().allows(Limit::Nested, ++depth))
        return exits.clear();
      const bool leaves =
          llvm::any_of(graph.successors.of(block), [&](BlockId next) { return !loops.contains(header, next); });
      if (!leaves && !endsHere)
        break;
      Exit &exit = exits[indexOf(header)];
      exit.areSeveral |= endsHere || exit.block != BlockId::None;
      exit.block = block;
    }
  }
}

/// Returns the header of the innermost loop around the adding instruction; None if that loop has several entries.
BlockId Counters::loopOf(const Counter &counter) {
  const BlockId adding = analyses.graph().blockOf(counter.adds);
  if (!analyses.graph().isReached(adding))
    return BlockId::None;
  const Loops &loops = analyses.loops();
  const BlockId header = loops.header[indexOf(adding)];
  return header == BlockId::None || loops.isEnteredAside[indexOf(header)] ? BlockId::None : header;
}

/// Returns whether the instruction precedes the addition in each iteration of the counter's loop.
bool Counters::comesBeforeAdding(const Counter &counter, uint32_t instruction) {
  const BlockId header = loopOf(counter), place = analyses.graph().blockOf(instruction);
  return header != BlockId::None && analyses.graph().isReached(place) && analyses.loops().contains(header, place) &&
         (instruction == counter.adds || analyses.precedes(instruction, counter.adds));
}

/// Returns whether the test precedes the instruction in each iteration.
bool Counters::isTestedBefore(const LoopTest &test, uint32_t instruction) {
  const BlockId place = analyses.graph().blockOf(instruction);
  return test.block != place && analyses.dominators().dominates(test.block, place);
}

std::optional<LoopTest> Counters::testOf(LocalId local, const Counter &counter) {
  const Graph &graph = analyses.graph();
  const BlockId header = loopOf(counter);
  if (header == BlockId::None)
    return std::nullopt;
  if (!areExitsFound)
    findExits();
  const Exit exit = exits.empty() ? Exit{BlockId::None, true} : exits[indexOf(header)];
  if (exit.areSeveral || exit.block == BlockId::None)
    return std::nullopt;
  const uint32_t last = graph[exit.block].last();
  const llvm::ArrayRef<BlockId> next = graph.successors.of(exit.block);
  const LocalId guard = body.guard(last);
  if (guard == LocalId::None || next.size() != 2 || !graph[exit.block].goesOn)
    return std::nullopt;
  // The branch is taken if its guard is true.
  const bool staysIfTrue = analyses.loops().contains(header, next[1]) != body.instruction(last).guardNot;
  LoopTest test = {body.definitions.only(guard), exit.block, staysIfTrue, 0};
  if (test.comparison == Definitions::none)
    return std::nullopt;
  const Step step = stepOf(body, test.comparison);
  if (!step.is(isa::Operation::Setp, 2) || step.isGuarded || !step.list[0].isSum() || step.list[0].flags)
    return std::nullopt;
  uint32_t reads = test.comparison;
  if (const LocalId compared = step.list[0].local; compared != local) {
    const Step sum = body.symbol(compared) ? onlyStepOf(body, compared) : Step();
    reads = sum.isKnown() ? body.definitions.only(compared) : Definitions::none;
    if (!sum.is(isa::Operation::Add, 2) || sum.isGuarded || sum.list[0].flags || sum.list[0].local != local ||
        sum.list[1].kind != Source::Number)
      return std::nullopt;
    test.away = asResult(*sum.computation, sum.list[1].number);
  }
  if (counter.adds < reads && analyses.precedes(counter.adds, reads))
    test.away += counter.added;
  return test;
}

namespace {

/// A comparison of two numbers, where each iteration adds a constant to one of them.
struct Progress {
  const Computation &comparison;
  int64_t first, added, limit;
  bool staysIfTrue;

  bool staysAfter(uint32_t count) const {
    const uint64_t sources[] = {static_cast<uint64_t>(first + count * added), static_cast<uint64_t>(limit)};
    return constantResult(comparison, sources) == uint64_t(staysIfTrue);
  }
  /// Returns whether no sum exceeds the range of the type.
  bool isStraight() const {
    const unsigned bits = std::min<unsigned>(comparison.sourceBits, 62);
    const bool isSigned = comparison.sourceKind == isa::TypeKind::Signed;
    const int64_t least = isSigned ? -(int64_t(1) << (bits - 1)) : 0;
    const int64_t most = (int64_t(1) << (isSigned ? bits - 1 : bits)) - 1;
    const int64_t last = first + added * mostRoundsOfLoop;
    return std::min(first, last) >= least && std::max(first, last) <= most;
  }
  bool isOrder() const { return comparison.comparison != isa::words::eq && comparison.comparison != isa::words::ne; }
};

} // namespace

/// Returns the number of iterations, or nothing if the number exceeds the limit.
static std::optional<uint32_t> roundsOf(const Progress &progress) {
  if (!progress.staysAfter(0))
    return 0;
  if (!progress.isStraight())
    return std::nullopt;
  if (!progress.isOrder()) {
    const int64_t away = progress.limit - progress.first;
    const int64_t count = away % progress.added ? 0 : away / progress.added;
    if (!away)
      return 1;
    return count > 0 && count < mostRoundsOfLoop ? std::optional(static_cast<uint32_t>(count)) : std::nullopt;
  }
  uint32_t stays = 0, ends = mostRoundsOfLoop; // the result of the comparison changes only once
  if (progress.staysAfter(ends))
    return std::nullopt;
  while (stays + 1 < ends) {
    const uint32_t middle = (stays + ends) / 2;
    (progress.staysAfter(middle) ? stays : ends) = middle;
  }
  return ends;
}

Counts Counters::counts(const Counter &counter, const Numbers &first, const std::optional<LoopTest> &test,
                        const Numbers &limit, uint32_t instruction) {
  if (!first.isNumber() || !comesBeforeAdding(counter, instruction))
    return {};
  const Counts once = {1, first.low, first.low, false};
  constexpr int64_t most = Numbers::mostKnown;
  if (!test || !limit.isNumber() || first.low < -most || first.low > most || limit.low < -most || limit.low > most)
    return once;
  const Computation &comparison = body.facts(test->comparison).computation;
  const auto read = [&](int64_t number) {
    return readAs(Numbers::of(number), comparison.sourceKind, comparison.sourceBits).low;
  };
  const Progress progress = {comparison, read(first.low + test->away), counter.added, read(limit.low),
                             test->staysIfTrue};
  const std::optional<uint32_t> staying = roundsOf(progress);
  const uint32_t rounds = staying.value_or(mostRoundsOfLoop) + !isTestedBefore(*test, instruction);
  if (rounds >= mostRoundsOfLoop)
    return once;
  return {rounds, first.low, first.low + (rounds ? rounds - 1 : 0) * counter.added, true};
}

} // namespace ptxray
