// unwaited-copy, uncommitted-copy, unwaited-bulk-copy, source-in-flight; of tensor memory unwaited-tensor-operation,
// unwaited-tensor-store, unwaited-tensor-load: memory that is used before an operation that concerns it is complete.
#include "Hazards/Cures.h"
#include "Hazards/Stages.h"
#include "Isa/Words.h"

namespace ptxray {
namespace {

/// What an instruction does to shared or tensor memory.
struct MemoryUse {
  uint32_t number;
  const Access &access;
  MemoryPlace place; // no base: a descriptor says where
  uint16_t groups;   // that the instruction joins
  bool isLate;       // it happens some time after the instruction
};

/// Of what meets an operation in flight; its message names both instructions.
using ConflictId = IdTakingTexts<2>;

class CopyRules {
public:
  explicit CopyRules(HazardContext &context)
      : context(context), body(context.body), flight(body, context.analyses, context.places, context.events),
        isTold(flight.operations().size()) {}
  ReportedOperations check();

private:
  void reportUncommitted(uint32_t wait, size_t one, const Levels &state);
  void commitment(uint32_t number, const Levels &state);
  void use(const MemoryUse &use, const Levels &state);
  std::optional<ConflictId> conflict(size_t one, const LateAccess &late, const MemoryUse &use, const Levels &state);
  std::optional<ConflictId> shared(size_t one, const LateAccess &late, const MemoryUse &use, const Levels &state);
  std::optional<ConflictId> tensor(const Operation &operation, const LateAccess &late, const MemoryUse &use);
  bool hasSameBase(uint32_t first, const LateAccess &late, const MemoryUse &use);
  void late(const LateStage &stage);
  Diagnostic &report(ConflictId id, uint32_t number, Range place, size_t one, uint8_t level);

  HazardContext &context;
  const Body &body;
  const InFlight flight;
  std::vector<bool> isTold; // by operation
  ReportedOperations reported;
};

} // namespace

/// Once for all operations of its groups: what one wait would mend is one fault.
Diagnostic &CopyRules::report(ConflictId id, uint32_t number, Range place, size_t one, uint8_t level) {
  const Operation &operation = flight.operations()[one];
  for (auto [i, other] : llvm::enumerate(flight.operations()))
    if (other.groups == operation.groups && other.isCounted == operation.isCounted) {
      isTold[i] = true;
      if (other.isCounted)
        reported.unawaited.push_back(other.number);
    }
  Diagnostic &diagnostic = context.sink.report(id, place, context.opcode(number), context.opcode(operation.number));
  addNotes(diagnostic, context, operation, number, level);
  return diagnostic;
}

void CopyRules::reportUncommitted(uint32_t wait, size_t one, const Levels &state) {
  const Operation &operation = flight.operations()[one];
  for (auto [i, other] : llvm::enumerate(flight.operations()))
    if (other.groups & operation.groups && flight.level(state, i) == InFlight::Uncommitted)
      reported.uncommitted.push_back(other.number);
  Diagnostic &diagnostic =
      report(DiagId::UncommittedCopy, wait, context.opcodeRange(wait), one, flight.level(state, one));
  offerCommit(diagnostic, context, operation, wait);
}

/// A wait with nothing to wait for, while operations are in no batch.
void CopyRules::commitment(uint32_t number, const Levels &state) {
  const Facts &facts = body.facts(number);
  if (facts.has(isa::FactKind::Commits))
    return;
  for (const Action &action : facts.actions) {
    if (action.kind != isa::FactKind::Waits)
      continue;
    for (auto [one, operation] : llvm::enumerate(flight.operations())) {
      const uint16_t groups = operation.groups & action.groups & committedGroups();
      if (groups && !isTold[one] && flight.level(state, one) == 0 &&
          flight.isAlone(state, static_cast<unsigned>(llvm::countr_zero(groups))))
        return reportUncommitted(number, one, state);
    }
  }
}

/// The base that both addresses have is a variable, or a register that holds the same value at both instructions.
bool CopyRules::hasSameBase(uint32_t first, const LateAccess &late, const MemoryUse &use) {
  if (!late.place.hasBaseOf(use.place) || late.place.isVariable)
    return late.place.hasBaseOf(use.place);
  const Loops &loops = context.analyses.loops();
  bool isSame = true;
  context.body.definitions.eachWriter(late.place.base, [&](uint32_t writer) {
    const bool isInLoop = loops.header[indexOf(context.analyses.graph().blockOf(writer))] != BlockId::None;
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

/// Operations of one kind are in order among themselves, and so are those that a barrier object counts: mma, cp, shift.
std::optional<ConflictId> CopyRules::tensor(const Operation &operation, const LateAccess &late, const MemoryUse &use) {
  const bool isLoadOrStore = !(use.groups & committedGroups());
  if (operation.groups == use.groups || (late.place.hasBaseOf(use.place) && late.place.offset != use.place.offset))
    return std::nullopt;
  if (operation.needsCommit)
    return isLoadOrStore ? std::optional(ConflictId(DiagId::UnwaitedTensorOperation)) : std::nullopt;
  if (isLoadOrStore && !hasSameBase(operation.number, late, use))
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

void CopyRules::use(const MemoryUse &use, const Levels &state) {
  for (auto [one, operation] : llvm::enumerate(flight.operations())) {
    if (!flight.isPending(state, one) || isTold[one] || operation.number == use.number || flight.reads(use.number, one))
      continue;
    for (const LateAccess &late : operation.accesses) {
      const std::optional<ConflictId> id = conflict(one, late, use, state);
      if (id && !context.areOtherThreads(operation.number, use.number)) {
        const Operand *nodes = body.ast->operands.data() + body.instruction(use.number).operands.first;
        const uint8_t level = flight.level(state, one);
        Diagnostic &diagnostic = report(*id, use.number, nodes[use.access.node].range, one, level);
        return offerWait(diagnostic, context, operation, use.number, level);
      }
    }
  }
}

/// At the first read after the wait that may be one of what was copied.
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
      const bool isElse = llvm::all_of(operation.accesses, [&](const LateAccess &one) {
        return !one.isWrite || !isShared(one.space) || isElsewhere(one.place, place);
      });
      if (!isShared(access.space) || !access.reads() || isElse || context.areOtherThreads(operation.number, *number))
        continue;
      const Operand *nodes = body.ast->operands.data() + body.instruction(*number).operands.first;
      Diagnostic &diagnostic =
          report(DiagId::UnwaitedCopy, *number, nodes[access.node].range, stage.operation, stage.level);
      return offerWait(diagnostic, context, operation, *number, stage.level);
    }
  }
}

ReportedOperations CopyRules::check() {
  const Solution solution(context.analyses.graph(), flight);
  solution.replay([&](uint32_t number, const Levels &state) {
    commitment(number, state);
    const Facts &facts = body.facts(number);
    uint16_t groups = 0;
    for (const Action &action : facts.actions)
      groups |= action.kind == isa::FactKind::Async ? action.groups : 0;
    for (const Access &access : facts.accesses) {
      const bool isMemory = access.space == isa::words::tmem || isShared(access.space);
      if (!isMemory || !(access.reads() || access.writes()))
        continue;
      const MemoryPlace place = context.placeOf(number, access);
      use({number, access, place, groups, facts.has(isa::FactKind::Async)}, state);
    }
  });
  for (const LateStage &stage : lateStages(context, flight))
    if (!isTold[stage.operation])
      late(stage);
  return std::move(reported);
}

ReportedOperations checkCopies(HazardContext &context) { return CopyRules(context).check(); }

} // namespace ptxray
