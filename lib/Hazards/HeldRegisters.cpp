// register-in-flight, unfenced-registers: uses of registers that belong to an asynchronous operation until it
// completes.
#include "Hazards/Cures.h"
#include "Hazards/Rings.h"

namespace ptxray {
namespace {

/// Registers that some operation holds, with consecutive numbers from 0.
struct HeldRegisters {
  llvm::DenseMap<LocalId, uint32_t> index;
  std::vector<LocalId> names;
  llvm::DenseMap<uint32_t, llvm::SmallVector<uint32_t, 0>> of; // keyed by instruction
  std::vector<uint32_t> uses;                                  // ordinary instructions that use one, in ascending order
};

} // namespace

template <typename See> static void eachHeld(const Body &body, uint32_t number, See see) {
  const Operand *nodes = body.operands(number).data();
  for (const Action &action : body.facts(number).actions) {
    if (action.kind != FactKind::Holds)
      continue;
    const Operand *first = nodes + action.node, *end = first + first->extent;
    body.eachUse(number, [&](NamedUse use) {
      if (first <= &use.operand && &use.operand < end && use.uses & (Reads | Writes))
        see(use.local);
    });
  }
}

static HeldRegisters heldIn(const HazardContext &context) {
  const Body &body = context.body;
  HeldRegisters held;
  for (const uint32_t number : context.events)
    if (body.facts(number).has(FactKind::Holds))
      eachHeld(body, number, [&](LocalId local) {
        const auto [known, isNew] = held.index.try_emplace(local, static_cast<uint32_t>(held.names.size()));
        if (isNew)
          held.names.push_back(local);
        held.of[number].push_back(known->second);
      });
  if (held.names.empty())
    return held;
  for (uint32_t number = 0; number < body.size(); ++number) {
    if (body.facts(number).has(FactKind::Holds))
      continue;
    bool uses = false;
    body.eachUse(number, [&](NamedUse use) { uses |= use.uses & (Reads | Writes) && held.index.contains(use.local); });
    if (uses)
      held.uses.push_back(number);
  }
  return held;
}

// ---- in flight
namespace {

class RegisterRules {
public:
  RegisterRules(HazardContext &context, const HeldRegisters &held, llvm::ArrayRef<uint32_t> reported)
      : context(context), body(context.body), held(held),
        flight(body, context.analyses, context.places, context.events, held.uses), isTold(flight.operations().size()) {
    for (auto [i, operation] : llvm::enumerate(flight.operations())) {
      isTold[i] = llvm::is_contained(reported, operation.number);
      for (const uint32_t one : held.of.lookup(operation.number))
        holders[one].push_back(static_cast<uint32_t>(i));
    }
  }
  void check() {
    const Solution solution(context.analyses, flight);
    solution.replay([&](uint32_t number, const Levels &state) {
      if (std::binary_search(held.uses.begin(), held.uses.end(), number))
        body.eachUse(number, [&](NamedUse use) { see(number, use, state); });
    });
    for (auto [i, operation] : llvm::enumerate(flight.operations()))
      if (!isTold[i] && held.of.contains(operation.number))
        operands(static_cast<uint32_t>(i));
  }

private:
  void see(uint32_t number, const NamedUse &use, const Levels &state) {
    const auto known = held.index.find(use.local);
    if (known == held.index.end() || !(use.uses & (Reads | Writes)))
      return;
    for (const uint32_t one : holders[known->second])
      if (flight.isPending(state, one) && !isTold[one])
        return report(number, use, one, state);
  }
  /// Reports a loop that starts copies into memory which its own operations may still read, and that does not wait for
  /// any of these operations.
  void operands(uint32_t one) {
    const Operation &operation = flight.operations()[one];
    const Graph &graph = context.analyses.graph();
    const BlockId block = graph.blockOf(operation.number);
    const BlockId header = graph.isReached(block) ? context.loopAround(operation.number) : BlockId::None;
    if (header == BlockId::None || !readsShared(operation) || waitsIn(header, operation.groups) ||
        !comesEachRound(operation.number, header, body, context.analyses))
      return;
    for (const uint32_t number : context.events) {
      if (!context.isInLoop(number, header) || !body.facts(number).has(FactKind::Async) ||
          llvm::none_of(body.facts(number).accesses,
                        [&](const Access &access) {
                          return isShared(access.space) && access.writes() &&
                                 comesAgain(context.placeOf(number, access).base, header, body, context.analyses);
                        }) ||
          context.areOtherThreads(operation.number, number))
        continue;
      std::fill(isTold.begin(), isTold.end(), true);
      context.report(DiagId::SourceInFlight, number, operation.number, "started here")
          .notes.push_back(
              {"the loop begins here, and waits for none of these operations", context.range(graph[header].first)});
      return;
    }
  }
  static bool readsShared(const Operation &operation) {
    return llvm::any_of(operation.accesses,
                        [](const LateAccess &late) { return late.isDescribed && late.isRead && isShared(late.space); });
  }
  bool waitsIn(BlockId header, uint16_t groups) const {
    return llvm::any_of(context.events, [&](uint32_t number) {
      return context.isInLoop(number, header) && (body.callsUnknown(number) || waitsFor(body.facts(number), groups));
    });
  }
  void report(uint32_t number, const NamedUse &use, uint32_t one, const Levels &state) {
    const Operation &operation = flight.operations()[one];
    for (size_t other = 0; other < isTold.size(); ++other)
      isTold[other] = isTold[other] || flight.isPending(state, other);
    Diagnostic &diagnostic = context.sink.report(DiagId::RegisterInFlight, use.operand.range, context.opcode(number),
                                                 body.text(use.local), context.opcode(operation.number));
    const uint8_t level = flight.level(state, one);
    addNotes(diagnostic, context, operation, number, level);
    const uint32_t end = number < operation.number ? body.size() : number; // also in a later iteration
    const std::optional<uint32_t> wait = waitBefore(context, operation, end);
    if (level == InFlight::Uncommitted && wait)
      offerCommit(diagnostic, context, operation, *wait);
    else
      offerWait(diagnostic, context, operation, number, level);
  }

  HazardContext &context;
  const Body &body;
  const HeldRegisters &held;
  const InFlight flight;
  llvm::DenseMap<uint32_t, llvm::SmallVector<uint32_t, 0>> holders; // keyed by register: operations that hold it
  std::vector<bool> isTold;                                         // indexed by operation
};

// ---- fences
/// For each register, whether a fence came since the last use by an ordinary instruction; 0 if not. The last entry
/// shows whether any fence came.
class Fences : public WorseLevels {
public:
  std::vector<uint32_t> places;

  Fences(const HazardContext &context, const HeldRegisters &held) : places(held.uses), body(context.body), held(held) {
    for (const uint32_t number : context.events)
      if (isFence(number) || body.facts(number).has(FactKind::Holds) || body.facts(number).uses & Calls)
        places.push_back(number);
    llvm::sort(places);
    places.erase(std::unique(places.begin(), places.end()), places.end());
  }
  size_t levels() const { return held.names.size() + 1; }
  Levels start() const {
    Levels state = Levels::all(levels(), 1);
    state.of.back() = 0;
    return state;
  }
  void step(Levels &state, uint32_t number) const {
    if (isFence(number) || body.callsUnknown(number))
      std::fill(state.of.begin(), state.of.end(), 1);
    else if (!body.facts(number).has(FactKind::Holds))
      body.eachUse(number, [&](NamedUse use) {
        const auto known = held.index.find(use.local);
        if (known != held.index.end() && use.uses & Writes && !body.facts(number).has(FactKind::Copies))
          state.of[known->second] = 0;
      });
  }
  bool isFence(uint32_t number) const { return orders(body.facts(number), isa::Ordered::Registers); }

private:
  const Body &body;
  const HeldRegisters &held;
};

} // namespace

static void checkFences(HazardContext &context, const HeldRegisters &held) {
  const Fences fences(context, held);
  const Solution solution(context.analyses, fences);
  bool isTold = false;
  solution.replay([&](uint32_t number, const Levels &state) {
    const auto of = held.of.find(number);
    if (isTold || of == held.of.end())
      return;
    const auto *unfenced = llvm::find_if(of->second, [&](uint32_t one) { return !state.of[one] || !state.of.back(); });
    isTold = unfenced != of->second.end();
    if (isTold)
      offerRegisterFence(context.sink.report(DiagId::UnfencedRegisters, context.opcodeRange(number),
                                             context.body.text(held.names[*unfenced]), context.opcode(number)),
                         context, number);
  });
}

void checkHeldRegisters(HazardContext &context, llvm::ArrayRef<uint32_t> reported) {
  const HeldRegisters held = heldIn(context);
  if (held.names.empty())
    return;
  checkFences(context, held);
  RegisterRules(context, held, reported).check();
}

} // namespace ptxray
