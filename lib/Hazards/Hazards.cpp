#include "Hazards/Hazards.h"
#include "Isa/Words.h"

namespace ptxray {

bool orders(const Facts &facts, isa::Ordered first, isa::Ordered second) {
  return facts.find(FactKind::Orders, [&](const Action &action) {
    return static_cast<isa::Ordered>(action.detail) == first && (!action.space || isShared(action.space)) &&
           (second == isa::Ordered::Nothing || static_cast<isa::Ordered>(action.other) == second);
  });
}

bool waitsFor(const Facts &facts, uint16_t groups) {
  return facts.find(FactKind::Waits, [&](const Action &action) { return action.groups & groups; });
}

uint16_t asyncGroups(const Facts &facts) {
  uint16_t groups = 0;
  for (const Action &action : facts.actions)
    groups |= action.kind == FactKind::Async ? action.groups : 0;
  return groups;
}

std::optional<uint32_t> waitBefore(const HazardContext &context, const Operation &operation, uint32_t number) {
  const auto end = llvm::lower_bound(context.events, number);
  for (auto event = end; event != context.events.begin() && *std::prev(event) > operation.number; --event)
    if (waitsFor(context.body.facts(*std::prev(event)), operation.groups))
      return *std::prev(event);
  return std::nullopt;
}

void addNotes(Diagnostic &diagnostic, const HazardContext &context, const Operation &operation, uint32_t number,
              uint8_t level) {
  diagnostic.notes.push_back({"started here", context.range(operation.number)});
  const std::optional<uint32_t> wait = waitBefore(context, operation, number);
  if (!wait)
    return;
  if (level == InFlight::Uncommitted)
    diagnostic.notes.push_back(
        {"waits only for committed copies, and this one is not committed", context.range(*wait)});
  else if (level <= InFlight::MostBatches)
    diagnostic.notes.push_back(
        {"does not wait for the newest groups, and this is " +
             (level == 1 ? std::string("the newest") : "number " + std::to_string(level) + " from the newest"),
         context.range(*wait)});
}

/// Returns whether an instruction has facts about asynchronous operations, barriers or order.
static bool synchronises(const Facts &facts) {
  return hasAny<FactKind::Async, FactKind::Holds, FactKind::Commits, FactKind::Waits, FactKind::Arrives,
                FactKind::Expects, FactKind::Completes, FactKind::Awaits, FactKind::Syncs, FactKind::Inits,
                FactKind::Invalidates, FactKind::Orders, FactKind::Releases, FactKind::Allocates, FactKind::Frees,
                FactKind::Relinquishes>(facts);
}

/// Returns whether a rule may need the instruction.
static bool isEvent(const Facts &facts) {
  return synchronises(facts) || facts.uses & Calls || llvm::any_of(facts.accesses, [](const Access &access) {
           return access.space == isa::words::tmem || isShared(access.space);
         });
}

bool isQuiet(const Body &body) {
  return body.unknownCalls.empty() &&
         llvm::none_of(body.verdicts, [](const Verdict *one) { return synchronises(*one->facts); });
}

std::optional<HazardContext> hazardContext(const Body &body, DiagnosticSink &sink, Analyses &analyses,
                                           const SourceBuffer &source) {
  const bool concerned = llvm::any_of(body.notable, [&](uint32_t number) {
    const Facts &facts = body.facts(number);
    return hasAny<FactKind::Async, FactKind::Inits, FactKind::Allocates, FactKind::Presumes>(facts) ||
           facts.find(FactKind::Awaits, [](const Action &action) { return action.node >= 0; });
  });
  if (!concerned)
    return std::nullopt;
  const bool isEntry = body.function->kind == FunctionKind::Entry;
  HazardContext hazards = {body, sink, analyses, source, Places(body, analyses), isEntry, {}};
  for (uint32_t number = 0; number < body.size(); ++number)
    if (isEvent(body.facts(number))) {
      hazards.events.push_back(number);
      hazards.isWhole &= !body.callsUnknown(number);
    }
  return hazards;
}

void checkHazards(HazardContext &context) {
  const ReportedOperations reported = checkCopies(context);
  checkHeldRegisters(context, reported.uncommitted);
  checkProxies(context);
  checkHandovers(context);
  checkBarrierObjects(context, reported.unawaited);
  checkTensorMemory(context);
  checkLaunchControl(context);
}

void checkHazards(const Body &body, const BodyContext &context, Analyses &analyses, const SourceBuffer &source) {
  checkGridDependency(body, context, analyses);
  checkPeers(body, context, analyses);
  if (auto hazards = hazardContext(body, context.sink, analyses, source))
    checkHazards(*hazards);
}

} // namespace ptxray
