#include "Hazards/Rings.h"
#include "Flow/Sharing.h"
#include "Flow/Steps.h"
#include "Flow/Values.h"
#include "Isa/Words.h"
#include "llvm/ADT/SmallSet.h"

namespace ptxray {

constexpr int64_t mostSlots = 64;

/// Returns the highest value of a counter before it is reset to a number, plus 1. The result is 0 if the step does not
/// select in this way.
///   setp.eq.s32 %p1, %r2, 4;  selp.b32 %r1, 0, %r2, %p1;      4
static int64_t lengthOfChoice(const Step &step, const Body &body) {
  const Source &counted = step.list[step.list[0].kind == Source::Number ? 1 : 0];
  const Source &number = step.list[step.list[0].kind == Source::Number ? 0 : 1];
  if (!step.is(isa::Operation::Selp, 3) || number.kind != Source::Number)
    return 0;
  const Step test = counted.kind == Source::Name ? onlyStepOf(body, step.list[2].local) : Step();
  if (!test.is(isa::Operation::Setp, 2) || test.list[1].kind != Source::Number || test.list[0].local != counted.local)
    return 0;
  const isa::WordId comparison = test.computation->comparison;
  const bool isBeyond = comparison == isa::words::gt || comparison == isa::words::le || comparison == isa::words::hi ||
                        comparison == isa::words::ls;
  return std::max<int64_t>(test.list[1].number + isBeyond, 0);
}

static int64_t lengthOf(const Step &step, const Body &body) {
  const bool hasNumber = step.count == 2 && step.list[1].kind == Source::Number;
  int64_t length = lengthOfChoice(step, body);
  if (hasNumber && step.is(isa::Operation::And, 2) && !(step.list[1].number & (step.list[1].number + 1)))
    length = step.list[1].number + 1;
  if (hasNumber && step.is(isa::Operation::Rem, 2))
    length = step.list[1].number;
  return 0 < length && length <= mostSlots ? length : 0;
}

/// Returns whether the number that is added to a pointer also leads back: `selp.b32 %r2, -12288, 4096, %p1`.
static bool leadsBack(const Step &step, const Body &body) {
  return step.is(isa::Operation::Add, 2) && llvm::any_of(step.sources(), [&](const Source &source) {
           const Step added = source.kind == Source::Name ? onlyStepOf(body, source.local) : Step();
           if (!added.is(isa::Operation::Selp, 3) || added.list[0].kind != Source::Number ||
               added.list[1].kind != Source::Number)
             return false;
           const int64_t one = asResult(*added.computation, added.list[0].number);
           return one && (one < 0) != (asResult(*added.computation, added.list[1].number) < 0);
         });
}

/// Returns whether the register has one of a few values after the step, regardless of its previous value.
static bool beginsAnew(const Step &step, const Body &body) {
  const bool isNumber = step.is(isa::Operation::Mov, 1) && step.list[0].kind == Source::Number;
  const bool isDifference = step.is(isa::Operation::Sub, 2) && step.list[0].kind == Source::Number;
  const bool isFlipped =
      step.is(isa::Operation::Xor, 2) && step.list[1].kind == Source::Number && step.list[0].local == step.result;
  return isNumber || isDifference || isFlipped || lengthOf(step, body) || leadsBack(step, body);
}

namespace {

/// Finds the registers from which a register is computed within a loop.
class MadeInLoop {
public:
  MadeInLoop(LocalId first, BlockId header, const Body &body, Analyses &analyses, Masks masks)
      : header(header), body(body), analyses(analyses), masks(masks), order({first}) {
    for (size_t i = 0; i < order.size() && isKnown; ++i) // `order` grows during the loop
      add(order[i]);
  }
  /// Returns whether no register is computed from itself, except through a reset to a number.
  bool isWithoutCircle();

private:
  struct Made {
    llvm::SmallVector<LocalId, 4> from;
    bool beginsAnew = false, isDone = false;
  };
  void add(LocalId local);
  bool isOfCounter(const Step &step);

  const BlockId header;
  const Body &body;
  Analyses &analyses;
  const Masks masks;
  std::vector<LocalId> order;
  llvm::DenseMap<LocalId, Made> made;
  bool isKnown = true;
};

} // namespace

/// Returns whether the instruction elects a thread, or tests whether a phase is complete. These instructions do not
/// make an iteration differ from the previous one.
static bool hasOutcome(const Facts &facts) { return facts.has(FactKind::Elects) || facts.has(FactKind::Awaits); }

/// Returns whether the step masks a counter: `and.b32 %r2, %r1, 3`.
bool MadeInLoop::isOfCounter(const Step &step) {
  const bool isCut = step.is(isa::Operation::And, 2) || step.is(isa::Operation::Rem, 2);
  return masks == Masks::OfCounters && isCut && lengthOf(step, body) && step.list[0].isSum() &&
         body.isRegister(step.list[0].local) && analyses.values().isCounter(step.list[0].local);
}

void MadeInLoop::add(LocalId local) {
  Made one;
  isKnown = analyses.budget().allows(Limit::LoopRegisters, order.size());
  body.definitions.eachWriter(local, [&](uint32_t number) {
    if (!analyses.loops().contains(header, analyses.graph().blockOf(number)))
      return;
    const Step step = stepOf(body, number);
    isKnown = isKnown && (step.isKnown() || hasOutcome(body.facts(number)));
    if (body.guard(number) != LocalId::None)
      one.from.push_back(body.guard(number));
    one.beginsAnew |= step.isKnown() && beginsAnew(step, body);
    if (isOfCounter(step))
      return;
    const bool isChoice = step.isKnown() && step.computation->operation == isa::Operation::Selp;
    for (const Source &source : step.sources().take_front(isChoice ? 2 : step.count))
      if (source.kind == Source::Name && body.isRegister(source.local))
        one.from.push_back(source.local);
  });
  for (const LocalId source : one.from)
    if (!llvm::is_contained(order, source))
      order.push_back(source);
  made[local] = std::move(one);
}

bool MadeInLoop::isWithoutCircle() {
  for (bool isChanged = isKnown; isChanged;) {
    isChanged = false;
    for (auto &entry : made) {
      Made &one = entry.second;
      const bool isDone =
          one.beginsAnew || llvm::all_of(one.from, [&](LocalId from) { return made.find(from)->second.isDone; });
      isChanged |= isDone && !one.isDone;
      one.isDone |= isDone;
    }
  }
  return isKnown && llvm::all_of(made, [](const auto &one) { return one.second.isDone; });
}

bool comesAgain(LocalId local, BlockId header, const Body &body, Analyses &analyses, Masks masks) {
  return MadeInLoop(local, header, body, analyses, masks).isWithoutCircle();
}

bool isBoundedByNumber(BlockId header, const Body &body, Analyses &analyses) {
  const auto isCounter = [&](const Source &source) {
    return source.isSum() && body.isRegister(source.local) && analyses.values().isCounter(source.local);
  };
  for (uint32_t number = 0; number < body.size(); ++number) {
    if (!analyses.loops().contains(header, analyses.graph().blockOf(number)))
      continue;
    const Step test = stepOf(body, number);
    if (!test.is(isa::Operation::Setp, 2) || test.list[1].kind != Source::Number || !test.list[0].isSum())
      continue;
    const Step compared = onlyStepOf(body, test.list[0].local);
    if (isCounter(test.list[0]) || (compared.is(isa::Operation::Add, 2) && isCounter(compared.list[0])))
      return true;
  }
  return false;
}

/// Returns whether all threads read the same value from the register at the instruction. A single instruction must have
/// written the value on every path, because roles may write different values.
static bool isOneValue(LocalId local, uint32_t reader, const Body &body, Analyses &analyses) {
  if (!analyses.sharing().isSameIn(isa::Scope::Cta, local))
    return false;
  if (body.definitions.only(local) != Definitions::none)
    return true;
  uint32_t last = Definitions::none;
  body.definitions.eachWriter(local, [&](uint32_t number) {
    const bool isBefore = body.guard(number) == LocalId::None && analyses.precedes(number, reader);
    if (isBefore && (last == Definitions::none || analyses.precedes(last, number)))
      last = number;
  });
  bool isLast = last != Definitions::none;
  body.definitions.eachWriter(local,
                              [&](uint32_t number) { isLast &= number == last || analyses.precedes(number, last); });
  return isLast;
}

/// Returns whether the step compares a counter with a bound that is not a number: `setp.lt.s32 %p1, %r1, %r2`.
static bool comparesCounter(const Step &step, const Body &body, Analyses &analyses) {
  if (!step.is(isa::Operation::Setp, 2) || step.list[0].kind != Source::Name || step.list[1].kind != Source::Name)
    return false;
  const isa::WordId comparison = step.computation->comparison;
  return comparison != isa::words::eq && comparison != isa::words::ne && body.isRegister(step.list[0].local) &&
         analyses.values().isCounter(step.list[0].local);
}

/// Checks each register from which the value is computed: either no iteration writes it, or each iteration writes it
/// before the read. A guarded instruction keeps the value that an earlier instruction of the iteration has written.
bool isSameEachRound(LocalId local, uint32_t reader, BlockId header, const Body &body, Analyses &analyses,
                     Sameness sameness) {
  const bool isForAll = sameness == Sameness::OfRoundsAndThreads;
  std::vector<std::pair<LocalId, uint32_t>> reads = {{local, reader}};
  llvm::SmallSet<LocalId, 16> followed;
  for (size_t i = 0; i < reads.size(); ++i) { // `reads` grows during the loop
    const auto [read, by] = reads[i];
    const bool isNew = followed.insert(read).second;
    bool isSame = analyses.budget().allows(Limit::LoopRegisters, reads.size()), isWritten = false, isWhole = false;
    body.definitions.eachWriter(read, [&, read = read, by = by](uint32_t number) {
      const Step step = stepOf(body, number);
      const bool isKept = step.is(isa::Operation::Mov, 1) && step.list[0].isSum() && step.list[0].local == read;
      if (!isSame || isKept || !analyses.loops().contains(header, analyses.graph().blockOf(number)))
        return;
      isSame = hasOutcome(body.facts(number)) || (analyses.precedes(number, by) && step.isKnown());
      isWritten = true;
      isWhole |= body.guard(number) == LocalId::None;
      if (!isNew)
        return;
      if (body.guard(number) != LocalId::None)
        reads.emplace_back(body.guard(number), number);
      const bool isBound = sameness == Sameness::UpToBound && comparesCounter(step, body, analyses);
      for (const Source &source : step.sources().drop_front(isBound))
        if (source.kind == Source::Name && body.isRegister(source.local))
          reads.emplace_back(source.local, number);
        else
          isSame &= !isForAll || source.kind == Source::Number;
    });
    if (!isSame || (isWritten ? !isWhole : isForAll && !isOneValue(read, by, body, analyses)))
      return false;
  }
  return true;
}

bool isOfEarlierRound(LocalId local, uint32_t reader, BlockId header, const Body &body, Analyses &analyses) {
  std::vector<std::pair<LocalId, uint32_t>> reads = {{local, reader}};
  llvm::SmallSet<std::pair<LocalId, uint32_t>, 16> followed;
  for (size_t i = 0; i < reads.size(); ++i) { // `reads` grows during the loop
    const auto [read, by] = reads[i];
    if (!followed.insert({read, by}).second)
      continue;
    if (!analyses.budget().allows(Limit::LoopRegisters, reads.size()))
      return false;
    bool isWritten = false, isAnew = false;
    body.definitions.eachWriter(read, [&, by = by](uint32_t number) {
      if (!analyses.loops().contains(header, analyses.graph().blockOf(number)))
        return;
      isWritten = true;
      isAnew |= body.guard(number) == LocalId::None && analyses.precedes(number, by);
      if (analyses.precedes(by, number)) // a later iteration reads the value that the instruction writes
        return;
      body.eachUse(number, [&](NamedUse use) {
        if (use.uses & Reads)
          reads.emplace_back(use.local, number);
      });
    });
    if (isWritten && !isAnew)
      return true;
  }
  return false;
}

/// Returns whether the block ends with a branch between two paths within the loop.
static bool isChoiceWithin(BlockId block, BlockId header, const Graph &graph, const Loops &loops) {
  return graph.splits(block) &&
         llvm::count_if(graph.successors.of(block), [&](BlockId next) { return loops.contains(header, next); }) > 1;
}

bool comesEachRound(uint32_t number, BlockId header, const Body &body, Analyses &analyses, Sameness sameness) {
  const Graph &graph = analyses.graph();
  const DominatorTree &before = analyses.dominators(), &after = analyses.postDominators();
  BlockId block = graph.blockOf(number);
  const LocalId own = body.guard(number);
  if (!before.dominates(header, block) || !after.contains(block) ||
      (own != LocalId::None && !isSameEachRound(own, number, header, body, analyses, sameness)))
    return false;
  while (block != header) {
    const BlockId above = before.parent[indexOf(block)];
    if (isChoiceWithin(above, header, graph, analyses.loops()) && after.contains(above) &&
        !after.dominates(block, above)) {
      const uint32_t last = graph[above].last();
      const LocalId guard = body.guard(last);
      if (guard == LocalId::None || !isSameEachRound(guard, last, header, body, analyses, sameness))
        return false;
    }
    block = above;
  }
  return true;
}

/// Returns whether the last instruction that wrote the register before the block set it to a number.
///   mov.b32 %r1, 0;  mov.b32 %r2, %r1;
static bool isNumberBefore(uint32_t number, LocalId local, const Body &body, const Graph &graph) {
  for (uint32_t before = number; before > graph[graph.blockOf(number)].first; --before) {
    bool isWriter = false;
    body.eachUse(before - 1, [&](NamedUse use) { isWriter |= (use.uses & Writes) && use.local == local; });
    if (!isWriter)
      continue;
    const Step step = stepOf(body, before - 1);
    return step.is(isa::Operation::Mov, 1) && step.list[0].kind == Source::Number && !step.isGuarded;
  }
  return false;
}

/// Returns whether the step flips between two numbers: `xor.b32 %r2, %r1, 1`.
static bool isFlip(const Step &step) {
  return step.is(isa::Operation::Xor, 2) && step.list[0].kind == Source::Name && step.list[1].kind == Source::Number &&
         step.list[1].number == 1;
}

int64_t lengthOfRing(LocalId index, const Body &body, Analyses &analyses) {
  const Graph &graph = analyses.graph();
  std::vector<LocalId> order = {index};
  int64_t length = 0;
  bool isRing = true;
  for (size_t i = 0; i < order.size() && isRing && analyses.budget().allows(Limit::LoopRegisters, order.size());
       ++i) // the list grows during the loop
    body.definitions.eachWriter(order[i], [&](uint32_t number) {
      const Step step = stepOf(body, number);
      const int64_t own = isFlip(step) ? 2 : step.isKnown() ? lengthOf(step, body) : 0;
      const bool isMove = step.is(isa::Operation::Mov, 1), isMade = isMove || isFlip(step);
      isRing = isRing && (own || isMove) && (!own || !length || own == length);
      length = own ? own : length;
      isRing = isRing && (!isMove || step.list[0].kind == Source::Number || step.list[0].isSum());
      if (isMade && step.list[0].isSum() && !llvm::is_contained(order, step.list[0].local) &&
          !isNumberBefore(number, step.list[0].local, body, graph))
        order.push_back(step.list[0].local);
    });
  return isRing ? length : 0;
}

} // namespace ptxray
