// unwaited-copy, uncommitted-copy, unwaited-bulk-copy, source-in-flight; of tensor memory unwaited-tensor-operation,
// unwaited-tensor-store, unwaited-tensor-load: what is used before an operation that concerns it is complete.
#include "Flow/Addresses.h"
#include "Hazards/Hazards.h"
#include "Isa/Isa.h"
#include "Isa/Words.h"

namespace ptxray {
namespace {

/// An access of an instruction, by a thread or as part of an asynchronous operation.
struct Use {
  uint32_t number;
  const LateAccess &access;
  Range range;
};

class CopyRules {
public:
  explicit CopyRules(HazardContext &context)
      : context(context), body(context.body), flight(body, context.analyses, context.places, context.events),
        isTold(flight.operations().size()) {}
  void check() {
    const Solution solution(context.analyses.graph(), flight);
    solution.replay([&](uint32_t number, const Levels &state) {
      commitment(number, state);
      for (const Access &access : body.facts(number).accesses)
        if (access.kind == isa::Access::Reads || access.kind == isa::Access::Writes ||
            access.kind == isa::Access::Updates)
          use(number, access, state);
    });
  }

private:
  void commitment(uint32_t number, const Levels &state);
  void use(uint32_t number, const Access &access, const Levels &state);
  void shared(uint32_t number, const Access &access, const MemoryPlace &place, const Levels &state);
  void tensor(uint32_t number, const Access &access, const MemoryPlace &place, const Levels &state);
  bool isSameBase(uint32_t first, uint32_t second, const MemoryPlace &a, const MemoryPlace &b);
  void report(DiagId id, uint32_t number, size_t operation, const Access *access);
  /// The operation is in flight, was not reported yet, and the threads that started it come to the instruction.
  bool isConcerned(uint32_t number, size_t one, const Levels &state) const {
    const uint32_t start = flight.operations()[one].number;
    return flight.isPending(state, one) && !isTold[one] && start != number && !context.areOtherThreads(start, number);
  }

  HazardContext &context;
  const Body &body;
  const InFlight flight;
  std::vector<bool> isTold; // by operation
};

} // namespace

void CopyRules::report(DiagId id, uint32_t number, size_t one, const Access *access) {
  const Operation &operation = flight.operations()[one];
  for (size_t other = 0; other < isTold.size(); ++other)
    isTold[other] = isTold[other] || (flight.operations()[other].groups == operation.groups &&
                                      flight.operations()[other].isCounted == operation.isCounted);
  const Range range = access ? body.ast->operands[body.instruction(number).operands.first + access->node].range
                             : context.opcodeRange(number);
  Diagnostic &diagnostic =
      context.sink.report(id, range, {context.opcode(number).str(), context.opcode(operation.number).str()});
  diagnostic.notes.push_back({"started here", context.range(operation.number)});
}

/// A wait with nothing to wait for, while operations are in no batch.
void CopyRules::commitment(uint32_t number, const Levels &state) {
  for (const Action &action : body.facts(number).actions) {
    if (action.kind != isa::FactKind::Waits || body.facts(number).has(isa::FactKind::Commits))
      continue;
    for (size_t one = 0; one < flight.operations().size(); ++one)
      for (unsigned group = 0; group < 16; ++group)
        if (flight.operations()[one].groups & action.groups & (1u << group) & committedGroups() && !isTold[one] &&
            flight.level(state, one) == 0 && flight.isAlone(state, group))
          return report(DiagId::UncommittedCopy, number, one, nullptr);
  }
}

/// The base that both addresses have is a variable, or a register that holds the same value at both instructions.
bool CopyRules::isSameBase(uint32_t first, uint32_t second, const MemoryPlace &a, const MemoryPlace &b) {
  if (!a.hasBaseOf(b) || a.isVariable)
    return a.hasBaseOf(b);
  bool isSame = true;
  context.analyses.definitions().eachWriter(a.base, [&](uint32_t writer) {
    const bool isInLoop =
        context.analyses.loops().header[indexOf(context.analyses.graph().blockOf(writer))] != BlockId::None;
    isSame &= first < second ? writer <= first || writer >= second : !isInLoop;
  });
  return isSame;
}

void CopyRules::shared(uint32_t number, const Access &access, const MemoryPlace &place, const Levels &state) {
  const bool isRead = access.kind != isa::Access::Writes;
  const bool isWrite = access.kind != isa::Access::Reads;
  const bool isLate = body.facts(number).has(isa::FactKind::Async);
  for (size_t one = 0; one < flight.operations().size(); ++one) {
    const Operation &operation = flight.operations()[one];
    if (!isConcerned(number, one, state))
      continue;
    for (const LateAccess &late : operation.accesses) {
      if (!isShared(late.space) || late.isDescribed || isElsewhere(late.place, place))
        continue;
      const bool isCertain = isSame(late.place, place) && isSameBase(operation.number, number, late.place, place);
      if (late.isWrite && isRead && operation.isCounted) {
        const bool isRelated = isLate || access.isDescribed || beginTogether(late.place, place);
        if ((isRelated && flight.isUnwaited(state)) ||
            ((isCertain || beginTogether(late.place, place)) && flight.isForgotten(state)))
          return report(DiagId::UnwaitedBulkCopy, number, one, &access);
      } else if (late.isWrite && isRead && operation.groups) {
        const unsigned group = llvm::countr_zero(operation.groups);
        const bool isUncommitted = operation.isCertain && flight.level(state, one) == 0;
        if (flight.isUnwaited(state, group) || (isCertain && (flight.isForgotten(state, group) || isUncommitted)))
          return report(DiagId::UnwaitedCopy, number, one, &access);
      } else if (late.isRead && isWrite && operation.groups && !isLate) {
        const unsigned group = llvm::countr_zero(operation.groups);
        if (beginTogether(late.place, place) && flight.isForgotten(state, group))
          return report(DiagId::SourceInFlight, number, one, &access);
      }
    }
  }
}

void CopyRules::tensor(uint32_t number, const Access &access, const MemoryPlace &place, const Levels &state) {
  const Facts &facts = body.facts(number);
  uint16_t own = 0;
  for (const Action &action : facts.actions)
    own |= action.kind == isa::FactKind::Async ? action.groups : 0;
  const bool isCommitted = !(own & committedGroups());
  for (size_t one = 0; one < flight.operations().size(); ++one) {
    const Operation &operation = flight.operations()[one];
    if (operation.groups == own || !isConcerned(number, one, state))
      continue;
    for (const LateAccess &late : operation.accesses) {
      if (late.space != isa::words::tmem || (late.place.hasBaseOf(place) && late.place.offset != place.offset))
        continue;
      const bool isAtSamePlace = isSameBase(operation.number, number, late.place, place);
      const bool isWrite = access.kind != isa::Access::Reads;
      if (!operation.isCommitted) { // mma, cp, shift: in order with each other
        if (isCommitted)
          return report(DiagId::UnwaitedTensorOperation, number, one, &access);
      } else if (isCommitted && !isAtSamePlace) {
        continue;
      } else if (late.isWrite) {
        return report(DiagId::UnwaitedTensorStore, number, one, &access);
      } else if (isWrite) {
        return report(DiagId::UnwaitedTensorLoad, number, one, &access);
      }
    }
  }
}

void CopyRules::use(uint32_t number, const Access &access, const Levels &state) {
  const MemoryPlace place = context.places.at(number, access.node, access.bytes);
  if (access.space == isa::words::tmem)
    tensor(number, access, place, state);
  else if (isShared(access.space))
    shared(number, access, access.isDescribed ? MemoryPlace() : place, state);
}

void checkCopies(HazardContext &context) { CopyRules(context).check(); }

} // namespace ptxray
