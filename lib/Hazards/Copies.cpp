// unwaited-copy, uncommitted-copy, unwaited-bulk-copy, source-in-flight, and for tensor memory
// unwaited-tensor-operation, unwaited-tensor-store, unwaited-tensor-load: memory that is used before an operation on it
// is complete.
#include "Hazards/Cures.h"
#include "Hazards/Rings.h"
#include "Hazards/Stages.h"
#include "Isa/Words.h"

namespace ptxray {
namespace {

/// The effects of an instruction on shared or tensor memory.
struct MemoryUse {
  uint32_t number;
  const Access &access;
  MemoryPlace place; // location; if it has no base, a descriptor determines the location
  uint16_t groups;   // the groups that the instruction joins
  bool isLate;       // the access happens some time after the instruction
};

/// A rule about an access that conflicts with an operation in flight. Its message names both instructions.
using ConflictId = IdTakingTexts<2>;

/// Barriers of the block at which a thread admits other threads after it has waited for a barrier object. It uses a
/// different instruction for the same barrier than those threads.
///   role 1: wait; bar.sync 1, 256;      role 2: bar.sync 1, 256; read
class Admissions {
public:
  Admissions(HazardContext &context, const InFlight &flight, const Solution<InFlight> &solution);
  /// Returns whether every path to the instruction contains such a barrier.
  bool precede(uint32_t number) const;

private:
  HazardContext &context;
  std::vector<uint32_t> barriers;
};

class CopyRules {
public:
  explicit CopyRules(HazardContext &context)
      : context(context), body(context.body), flight(body, context.analyses, context.places, context.events),
        solution(context.analyses, flight), isTold(flight.operations().size()) {}
  ReportedOperations check();

private:
  void exits();
  bool servesReuse(uint32_t wait, uint16_t groups);
  void unawaitedExits();
  std::optional<std::vector<uint32_t>> plainWaits();
  void reportExit(size_t one, uint32_t last);
  void reportUncommitted(uint32_t wait, size_t one, const Levels &state);
  void commitment(uint32_t number, const Levels &state);
  void use(const MemoryUse &use, const Levels &state);
  std::optional<ConflictId> conflict(size_t one, const LateAccess &late, const MemoryUse &use, const Levels &state);
  std::optional<ConflictId> shared(size_t one, const LateAccess &late, const MemoryUse &use, const Levels &state);
  std::optional<ConflictId> tensor(const Operation &operation, const LateAccess &late, const MemoryUse &use);
  bool isOnlyOfLaterRound(const Operation &operation, uint32_t use);
  bool isOfNextProduct(uint32_t store, const MemoryUse &use);
  bool hasSameBase(uint32_t first, const LateAccess &late, const MemoryUse &use);
  bool isHandedOver(ConflictId id, uint32_t number);
  void late(const LateStage &stage);
  std::vector<uint16_t> groupsAwaitedIn();
  void rounds(size_t one, llvm::ArrayRef<uint16_t> awaited);
  Diagnostic &report(ConflictId id, uint32_t number, std::optional<uint32_t> node, size_t one, uint8_t level);

  HazardContext &context;
  const Body &body;
  const InFlight flight;
  const Solution<InFlight> solution;
  std::optional<Admissions> admissions; // computed when first needed
  std::vector<bool> isTold;             // indexed by operation
  ReportedOperations reported;
};

} // namespace

static const Action *blockBarrier(const Facts &facts) {
  const auto isOfBlock = [](const Action &action) { return action.node < 0 && action.scope() == isa::Scope::Cta; };
  const Action *syncs = facts.find(FactKind::Syncs, isOfBlock);
  return syncs ? syncs : facts.find(FactKind::Arrives, isOfBlock);
}

Admissions::Admissions(HazardContext &context, const InFlight &flight, const Solution<InFlight> &solution)
    : context(context) {
  const Graph &graph = context.analyses.graph();
  const DominatorTree &before = context.analyses.dominators();
  std::vector<uint32_t> after, all; // the barriers after a wait, and all barriers
  solution.replay([&](uint32_t number, const Levels &state) {
    if (!blockBarrier(context.body.facts(number)))
      return;
    all.push_back(number);
    if (flight.isAwaited(state))
      after.push_back(number);
  });
  const auto numberOf = [&](uint32_t barrier) {
    return context.places.numberAt(barrier, blockBarrier(context.body.facts(barrier))->which);
  };
  const auto isMet = [&](uint32_t one, uint32_t other) {
    const BlockId a = graph.blockOf(one), b = graph.blockOf(other);
    const std::optional<int64_t> first = numberOf(one), second = numberOf(other);
    return !before.dominates(a, b) && !before.dominates(b, a) && (!first || !second || *first == *second);
  };
  llvm::copy_if(all, std::back_inserter(barriers), [&](uint32_t one) {
    return context.body.facts(one).has(FactKind::Syncs) &&
           llvm::any_of(after, [&](uint32_t other) { return isMet(one, other); });
  });
}

bool Admissions::precede(uint32_t number) const {
  return llvm::any_of(barriers, [&](uint32_t barrier) { return context.analyses.precedes(barrier, number); });
}

/// Reports a fault once for all operations of its groups, because a single wait corrects them.
Diagnostic &CopyRules::report(ConflictId id, uint32_t number, std::optional<uint32_t> node, size_t one, uint8_t level) {
  const Operation &operation = flight.operations()[one];
  for (auto [i, other] : llvm::enumerate(flight.operations()))
    if (other.groups == operation.groups && other.isCounted == operation.isCounted) {
      isTold[i] = true;
      if (other.isCounted || id.value == DiagId::UnwaitedTensorOperation)
        reported.unawaited.push_back(other.number);
    }
  const Range place = node ? body.operands(number)[*node].range : context.opcodeRange(number);
  Diagnostic &diagnostic = context.sink.report(id, place, context.opcode(number), context.opcode(operation.number));
  addNotes(diagnostic, context, operation, number, level);
  return diagnostic;
}

void CopyRules::reportUncommitted(uint32_t wait, size_t one, const Levels &state) {
  const Operation &operation = flight.operations()[one];
  for (auto [i, other] : llvm::enumerate(flight.operations()))
    if (other.groups & operation.groups && flight.level(state, i) == InFlight::Uncommitted)
      reported.uncommitted.push_back(other.number);
  Diagnostic &diagnostic = report(DiagId::UncommittedCopy, wait, std::nullopt, one, flight.level(state, one));
  offerCommit(diagnostic, context, operation, wait);
}

/// Reports a wait without anything to wait for, while operations are in no batch.
void CopyRules::commitment(uint32_t number, const Levels &state) {
  const Facts &facts = body.facts(number);
  if (facts.has(FactKind::Commits))
    return;
  for (const Action &action : facts.actions) {
    if (action.kind != FactKind::Waits)
      continue;
    for (auto [one, operation] : llvm::enumerate(flight.operations())) {
      const uint16_t groups = operation.groups & action.groups & committedGroups();
      if (groups && !isTold[one] && flight.level(state, one) == 0 &&
          flight.isAlone(state, static_cast<unsigned>(llvm::countr_zero(groups))))
        return reportUncommitted(number, one, state);
    }
  }
}

/// Returns whether the common base of both addresses is a variable, or a register with the same value at both
/// instructions.
bool CopyRules::hasSameBase(uint32_t first, const LateAccess &late, const MemoryUse &use) {
  if (!late.place.hasBaseOf(use.place) || late.place.isVariable)
    return late.place.hasBaseOf(use.place);
  bool isSame = true;
  context.body.definitions.eachWriter(late.place.base, [&](uint32_t writer) {
    const bool isInLoop = context.loopAround(writer) != BlockId::None;
    isSame &= first < use.number ? writer <= first || writer >= use.number : !isInLoop;
  });
  return isSame;
}

std::optional<ConflictId> CopyRules::shared(size_t one, const LateAccess &late, const MemoryUse &use,
                                            const Levels &state) {
  const Operation &operation = flight.operations()[one];
  const bool beginsThere = beginTogether(late.place, use.place);
  const auto isAtSamePlace = [&] { return isSame(late.place, use.place) && hasSameBase(operation.number, late, use); };
  if (late.isWrite && use.access.reads() && operation.isCounted) {
    const bool isRelated = use.isLate || use.access.isDescribed || beginsThere;
    if ((isRelated && flight.isUnwaited(state)) || (flight.isForgotten(state) && beginsThere) ||
        (late.place.isVariable && isAtSamePlace()))
      return ConflictId(DiagId::UnwaitedBulkCopy);
    return std::nullopt;
  }
  if (!operation.groups)
    return std::nullopt;
  const auto group = static_cast<unsigned>(llvm::countr_zero(operation.groups));
  const bool isForgotten = flight.isForgotten(state, group);
  if (late.isWrite && use.access.reads()) {
    const bool isUncommitted = operation.isCertain && flight.level(state, one) == 0;
    if (flight.isUnwaited(state, group) || ((isForgotten || isUncommitted) && isAtSamePlace()))
      return ConflictId(DiagId::UnwaitedCopy);
  } else if (late.isRead && use.access.writes() && !use.isLate &&
             ((beginsThere && isForgotten) || (late.place.isVariable && isAtSamePlace()))) {
    return ConflictId(DiagId::SourceInFlight);
  }
  return std::nullopt;
}

/// Returns whether the use precedes the operation in each iteration of a loop, and only some iterations start the
/// operation. If only the last iteration does, no use follows.
bool CopyRules::isOnlyOfLaterRound(const Operation &operation, uint32_t use) {
  const Graph &graph = context.analyses.graph();
  if (!graph.isReached(graph.blockOf(operation.number)) || !context.analyses.precedes(use, operation.number))
    return false;
  const BlockId header = context.loopAround(operation.number);
  return header != BlockId::None && context.isInLoop(use, header) &&
         !comesEachRound(operation.number, header, body, context.analyses);
}

/// Returns whether the load follows a wait for a barrier object after the store, and has a different number of
/// registers. In that case, it reads the result of a matrix product after the store.
///   tcgen05.st [%r1], {%r2, %r3};  wait for the next product;  tcgen05.ld {%r4, ... %r11}, [%r1];
bool CopyRules::isOfNextProduct(uint32_t store, const MemoryUse &use) {
  if (!use.access.reads() || body.operands(store).size() == body.operands(use.number).size())
    return false;
  const Loops &loops = context.analyses.loops();
  BlockId header = use.number < store ? context.loopAround(store) : BlockId::None;
  while (header != BlockId::None && !context.isInLoop(use.number, header))
    header = loops.outer[indexOf(header)];
  return llvm::any_of(context.events, [&](uint32_t number) {
    const bool isBetween = header == BlockId::None ? store < number : context.isInLoop(number, header);
    return isBetween && context.analyses.precedes(number, use.number) &&
           body.facts(number).find(FactKind::Awaits, [](const Action &one) { return one.node >= 0; });
  });
}

/// Returns the rule for a conflict in tensor memory. Operations of one kind are ordered among themselves, as are
/// operations that a barrier object tracks: mma, cp, shift.
std::optional<ConflictId> CopyRules::tensor(const Operation &operation, const LateAccess &late, const MemoryUse &use) {
  const bool isLoadOrStore = !(use.groups & committedGroups());
  if (operation.groups == use.groups || (late.place.hasBaseOf(use.place) && late.place.offset != use.place.offset))
    return std::nullopt;
  if (operation.needsCommit)
    return isLoadOrStore ? std::optional(ConflictId(DiagId::UnwaitedTensorOperation)) : std::nullopt;
  if (isLoadOrStore && (!hasSameBase(operation.number, late, use) || isOnlyOfLaterRound(operation, use.number)))
    return std::nullopt;
  if (late.isWrite && isLoadOrStore && isOfNextProduct(operation.number, use))
    return std::nullopt;
  if (late.isWrite)
    return ConflictId(DiagId::UnwaitedTensorStore);
  return use.access.writes() ? std::optional(ConflictId(DiagId::UnwaitedTensorLoad)) : std::nullopt;
}

std::optional<ConflictId> CopyRules::conflict(size_t one, const LateAccess &late, const MemoryUse &use,
                                              const Levels &state) {
  const Operation &operation = flight.operations()[one];
  if (use.access.space == isa::words::tmem)
    return late.space == isa::words::tmem ? tensor(operation, late, use) : std::nullopt;
  if (!isShared(late.space) || late.isDescribed || late.place.isRemote != use.place.isRemote ||
      isElsewhere(late.place, use.place))
    return std::nullopt;
  return shared(one, late, use, state);
}

/// Returns whether another thread has waited and then admits this thread.
bool CopyRules::isHandedOver(ConflictId id, uint32_t number) {
  if (id.value != DiagId::UnwaitedBulkCopy)
    return false;
  if (!admissions)
    admissions.emplace(context, flight, solution);
  return admissions->precede(number);
}

void CopyRules::use(const MemoryUse &use, const Levels &state) {
  for (auto [one, operation] : llvm::enumerate(flight.operations())) {
    if (!flight.isPending(state, one) || isTold[one] || operation.number == use.number || flight.reads(use.number, one))
      continue;
    for (const LateAccess &late : operation.accesses) {
      const std::optional<ConflictId> id = conflict(one, late, use, state);
      if (id && !isHandedOver(*id, use.number) && !context.areOtherThreads(operation.number, use.number)) {
        const uint8_t level = flight.level(state, one);
        Diagnostic &diagnostic = report(*id, use.number, use.access.node, one, level);
        return offerWait(diagnostic, context, operation, use.number, level);
      }
    }
  }
}

/// Reports the first read after the wait that may read the copied bytes.
void CopyRules::late(const LateStage &stage) {
  const Graph &graph = context.analyses.graph();
  const Operation &operation = flight.operations()[stage.operation];
  const BlockId waiting = graph.blockOf(stage.wait), header = context.analyses.loops().header[indexOf(waiting)];
  for (auto number = llvm::upper_bound(context.events, stage.wait); number != context.events.end(); ++number) {
    const BlockId block = graph.blockOf(*number);
    if (!graph.isReached(block) || !context.analyses.loops().contains(header, block) ||
        !context.analyses.dominators().dominates(waiting, block))
      continue;
    for (const Access &access : body.facts(*number).accesses) {
      const MemoryPlace place = context.placeOf(*number, access);
      if (!isShared(access.space) || !access.reads() || !mayWrite(operation, place) ||
          context.areOtherThreads(operation.number, *number) ||
          (stage.isOfFirstRound && !comesEachRound(*number, header, body, context.analyses)))
        continue;
      Diagnostic &diagnostic = report(DiagId::UnwaitedCopy, *number, access.node, stage.operation, stage.level);
      return offerWait(diagnostic, context, operation, *number, stage.level);
    }
  }
}

/// Returns, keyed by the header of each loop, the groups for which the loop or a function that it calls may wait.
std::vector<uint16_t> CopyRules::groupsAwaitedIn() {
  constexpr uint16_t each = 0xffff;
  const Loops &loops = context.analyses.loops();
  std::vector<uint16_t> awaited(context.analyses.graph().size());
  for (const uint32_t number : context.events) {
    uint16_t groups = body.callsUnknown(number) ? each : 0;
    for (const Action &action : body.facts(number).actions) {
      if (action.kind == FactKind::Waits || action.kind == FactKind::Arrives)
        groups |= action.groups;
      else if (action.kind == FactKind::Awaits && action.node >= 0)
        groups |= flight.countedGroups();
    }
    BlockId header = context.loopAround(number);
    for (; header != BlockId::None && (awaited[indexOf(header)] & groups) != groups;
         header = loops.outer[indexOf(header)])
      awaited[indexOf(header)] |= groups;
  }
  return awaited;
}

/// Reports a loop that copies to the same locations in each iteration and reads them, but never waits.
void CopyRules::rounds(size_t one, llvm::ArrayRef<uint16_t> awaited) {
  const Operation &operation = flight.operations()[one];
  const Graph &graph = context.analyses.graph();
  const Loops &loops = context.analyses.loops();
  const BlockId block = graph.blockOf(operation.number);
  if (!graph.isReached(block) || body.guard(operation.number) != LocalId::None)
    return;
  BlockId header = loops.header[indexOf(block)];
  for (unsigned depth = 0; header != BlockId::None && context.analyses.budget().allows(Limit::OuterLoops, depth + 1);
       ++depth, header = loops.outer[indexOf(header)]) {
    if (awaited[indexOf(header)] & operation.groups)
      return;
    const bool isAgain = llvm::all_of(operation.accesses, [&](const LateAccess &late) {
      return !late.isWrite || comesAgain(late.place.base, header, body, context.analyses);
    });
    if (!isAgain || !comesEachRound(operation.number, header, body, context.analyses))
      continue;
    for (const uint32_t number : context.events)
      for (const Access &access : body.facts(number).accesses) {
        if (!isShared(access.space) || !access.reads() || !loops.contains(header, graph.blockOf(number)) ||
            !mayWrite(operation, context.placeOf(number, access)) || context.areOtherThreads(operation.number, number))
          continue;
        report(DiagId::UnwaitedCopy, number, access.node, one, InFlight::Counted)
            .notes.push_back({"the loop begins here, and contains no wait", context.range(graph[header].first)});
        return;
      }
  }
}

void CopyRules::reportExit(size_t one, uint32_t last) {
  const Operation &operation = flight.operations()[one];
  isTold[one] = true;
  Diagnostic &diagnostic = context.sink.report(DiagId::BulkCopyAtExit, context.opcodeRange(operation.number),
                                               context.opcode(operation.number));
  if (const auto wait = waitBefore(context, operation, last))
    diagnostic.notes.push_back({"the last wait does not wait for it", context.range(*wait)});
  diagnostic.notes.push_back({"control leaves the kernel here", context.range(last)});
}

/// Returns the number of groups that the wait may leave pending, or -1 if the instruction does not wait for the groups.
static int64_t leftPendingBy(const Body &body, uint32_t number, uint16_t groups) {
  const Action *wait =
      body.facts(number).find(FactKind::Waits, [&](const Action &action) { return action.groups & groups; });
  return wait ? leftPending(body, number, *wait) : -1;
}

/// Returns whether the wait only permits the kernel to write to shared memory again. Either writes or copies follow it,
/// or copies between this wait and an equal one show that each copy has such a wait. CUTLASS kernels have only such
/// waits.
bool CopyRules::servesReuse(uint32_t wait, uint16_t groups) {
  const Graph &graph = context.analyses.graph();
  const BlockId own = graph.blockOf(wait);
  FoundBlocks later(graph.size());
  later.addAll(graph.successors.of(own));
  later.spread(graph.successors);
  const auto isReuse = [&](uint32_t number) {
    const Facts &facts = body.facts(number);
    return (asyncGroups(facts) & groups) || llvm::any_of(facts.accesses, [](const Access &access) {
             return isShared(access.space) && access.writes() && access.kind != isa::Access::Barrier;
           });
  };
  const int64_t left = leftPendingBy(body, wait, groups);
  bool isPaced = false; // an equal wait, and then a copy, precede the wait
  bool hasCopy = false;
  for (const uint32_t number : context.events) {
    const bool isLater = later.contains(graph.blockOf(number)) || (graph.blockOf(number) == own && number > wait);
    if (isLater && isReuse(number))
      return true;
    if (number < wait && leftPendingBy(body, number, groups) == left)
      isPaced = true, hasCopy = false;
    hasCopy |= number < wait && (asyncGroups(body.facts(number)) & groups);
  }
  return isPaced && hasCopy;
}

/// Reports copies out of shared memory that are pending when the kernel ends, because its memory may then belong to
/// another block.
void CopyRules::exits() {
  const Graph &graph = context.analyses.graph();
  for (uint32_t index = 0; solution.isComplete() && index < graph.size(); ++index) {
    const auto block = BlockId(index);
    if (!graph[block].leaves || !solution.at(block))
      continue;
    const Levels state = solution.atEnd(block);
    for (auto [one, operation] : llvm::enumerate(flight.operations())) {
      const auto isSource = [](const LateAccess &late) { return late.isRead && !late.isWrite && isShared(late.space); };
      const auto isDescribed = [](const LateAccess &late) { return late.isDescribed; };
      if (operation.needsCommit && !operation.isCounted && !isTold[one] && flight.isPending(state, one) &&
          llvm::any_of(operation.accesses, isSource) && llvm::none_of(operation.accesses, isDescribed)) {
        const uint32_t last = graph[block].last();
        const std::optional<uint32_t> wait = waitBefore(context, operation, last);
        if (!wait || !servesReuse(*wait, operation.groups))
          return reportExit(one, last);
      }
    }
  }
}

/// Returns the waits for barrier objects, if each of them is a loop of its own.
std::optional<std::vector<uint32_t>> CopyRules::plainWaits() {
  const Graph &graph = context.analyses.graph();
  std::vector<uint32_t> waits;
  for (const uint32_t number : context.events) {
    if (!body.facts(number).find(FactKind::Awaits, [](const Action &action) { return action.node >= 0; }))
      continue;
    const BlockId own = graph.blockOf(number), header = context.loopAround(number);
    if (header != BlockId::None && (header != own || context.analyses.loops().outer[indexOf(header)] != BlockId::None))
      return std::nullopt;
    waits.push_back(number);
  }
  return waits;
}

/// Reports copies into shared memory for which a uniform condition can bypass every wait. Loops are ignored, because
/// their iteration count depends on the amount of data.
void CopyRules::unawaitedExits() {
  const Graph &graph = context.analyses.graph();
  const auto waits = plainWaits();
  if (!waits || waits->empty())
    return;
  const auto waitsIn = [&](BlockId block) {
    return llvm::any_of(*waits, [&](uint32_t wait) { return graph.blockOf(wait) == block; });
  };
  FoundBlocks awaiting(graph.size());
  for (const uint32_t wait : *waits)
    awaiting.add(graph.blockOf(wait));
  awaiting.spread(graph.predecessors);
  for (auto [one, operation] : llvm::enumerate(flight.operations())) {
    const BlockId from = graph.blockOf(operation.number);
    const auto isTarget = [](const LateAccess &late) {
      return late.isWrite && isShared(late.space) && !late.place.isRemote;
    };
    const auto isOther = [&](uint32_t wait) { return areOtherThreads(graph.blockOf(wait), from, context.analyses); };
    if (!operation.isCounted || operation.groups || isTold[one] ||
        context.loopAround(operation.number) != BlockId::None || llvm::none_of(operation.accesses, isTarget) ||
        llvm::any_of(*waits, isOther))
      continue;
    FoundBlocks unawaited(graph.size());
    unawaited.addAll(graph.successors.of(from));
    unawaited.spread(graph.successors, [&](BlockId block) { return !waitsIn(block); });
    for (const BlockId block : unawaited.inOrder()) {
      const LocalId guard = body.guard(graph[block].last());
      if (waitsIn(block) || guard == LocalId::None || !awaiting.contains(block) ||
          !context.places.isSameIn(isa::Scope::Cta, guard))
        continue;
      for (const BlockId next : graph.successors.of(block))
        if (!awaiting.contains(next) && !graph[next].aborts)
          return reportExit(one, graph[block].last());
    }
  }
}

ReportedOperations CopyRules::check() {
  solution.replay([&](uint32_t number, const Levels &state) {
    commitment(number, state);
    const Facts &facts = body.facts(number);
    for (const Access &access : facts.accesses) {
      const bool isMemory = access.space == isa::words::tmem || isShared(access.space);
      if (!isMemory || !(access.reads() || access.writes()))
        continue;
      const MemoryPlace place = context.placeOf(number, access);
      use({number, access, place, asyncGroups(facts), facts.has(FactKind::Async)}, state);
    }
  });
  if (context.isWhole) {
    exits();
    unawaitedExits();
  }
  for (const LateStage &stage : lateStages(context, flight))
    if (!isTold[stage.operation])
      late(stage);
  const std::vector<uint16_t> awaited = groupsAwaitedIn();
  for (auto [one, operation] : llvm::enumerate(flight.operations()))
    if (!isTold[one] && operation.needsCommit && !operation.isCounted)
      rounds(one, awaited);
  return std::move(reported);
}

ReportedOperations checkCopies(HazardContext &context) { return CopyRules(context).check(); }

} // namespace ptxray
