// uninitialised-barrier, unexpected-bytes, other-bytes-expected, never-signalled-barrier, never-awaited-barrier,
// ignored-wait, constant-parity: barrier objects in shared memory. Barrier objects are distinguished by their
// addresses; if an address is unknown, nothing is reported.
#include "Hazards/Barriers.h"
#include "Hazards/Rings.h"
#include "Isa/Isa.h"
#include "Isa/Words.h"
#include "llvm/ADT/SmallSet.h"

namespace ptxray {
namespace {

class BarrierRules {
public:
  BarrierRules(HazardContext &context, llvm::ArrayRef<uint32_t> reported);
  void check();

private:
  template <typename Matches> bool any(const MemoryPlace &barrier, Matches matches) const {
    return llvm::any_of(uses,
                        [&](const BarrierUse &use) { return matches(use.kind) && !isElsewhere(use.barrier, barrier); });
  }
  /// Returns whether the barrier is in a variable, or shares its base with other barriers, so that it can be compared
  /// with them.
  template <typename Matches> bool isComparable(const BarrierUse &one, Matches matches) const {
    return one.barrier.root != LocalId::None || llvm::any_of(uses, [&](const BarrierUse &use) {
             return matches(use.kind) && use.barrier.hasBaseOf(one.barrier);
           });
  }
  void initialisation(const BarrierUse &use);
  LocalId indexOfRing(const MemoryPlace &barrier);
  bool areNamedAlike(const MemoryPlace &a, const MemoryPlace &b);
  llvm::SmallVector<int64_t, 8> slotsOf(const MemoryPlace &barrier);
  bool isPartlyUninitialised(const MemoryPlace &barrier);
  bool reaches(uint32_t first, uint32_t second) { return reachability.leads(first, second); }
  bool isExpectedOnlyBefore(const BarrierUse &copy);
  bool mayExpect(const BarrierUse &expectation, const BarrierUse &copy);
  std::optional<uint32_t> emptyArrival(const BarrierUse &copy);
  void expectation(const BarrierUse &use);
  void signal(const BarrierUse &use);
  void wait(const BarrierUse &use);
  void completion(const BarrierUse &use);
  void ignored();
  void bytes(const BarrierUse &expectation);
  void parity(const BarrierUse &wait);
  bool changesIn(const BarrierUse &wait, BlockId header);
  bool comesRound(const BarrierUse &wait, BlockId header);
  bool isCarriedIn(const BarrierUse &wait, BlockId header);
  bool isChangedByOthers(const BarrierUse &wait, BlockId header);
  bool isWrittenIn(LocalId local, BlockId header);
  bool haveSameParity(const BarrierUse &a, const BarrierUse &b);
  bool isOtherParity(const BarrierUse &a, const BarrierUse &b);
  bool isUsedInEachRound(const BarrierUse &wait, BlockId header);
  bool isSignalledInRounds(const BarrierUse &signal);
  bool isUsedAgain(const BarrierUse &wait, BlockId header);

  HazardContext &context;
  const Body &body;
  const llvm::ArrayRef<uint32_t>
      reported; // operations that were already reported because no instruction waits for them
  std::vector<BarrierUse> uses;
  Reachability reachability;
  llvm::DenseMap<uint32_t, bool> signalledInRounds; // keyed by instruction
  std::vector<uint32_t> withoutInit; // uses that no path reaches from an initialisation that is still valid
  llvm::SmallSet<DiagId, 8> told;    // rules that are reported only once per body
};

} // namespace

bool mayBeForPeers(const Facts &facts) {
  return llvm::any_of(facts.accesses, [](const Access &access) {
    return access.kind == isa::Access::Barrier && access.space && isShared(access.space) &&
           llvm::StringRef(isa::word(access.space).text()).ends_with("cluster");
  });
}

static bool isWait(FactKind kind) { return kind == FactKind::Awaits; }

static bool isSignal(FactKind kind) {
  return kind == FactKind::Arrives || kind == FactKind::Completes || kind == FactKind::Async;
}

BarrierRules::BarrierRules(HazardContext &context, llvm::ArrayRef<uint32_t> reported)
    : context(context), body(context.body), reported(reported), reachability(context.analyses.graph()) {
  for (const uint32_t number : context.events) {
    for (const Action &action : body.facts(number).actions)
      switch (action.kind) {
      case FactKind::Async:
      case FactKind::Arrives:
      case FactKind::Expects:
      case FactKind::Completes:
      case FactKind::Awaits:
      case FactKind::Inits:
      case FactKind::Invalidates:
        if (action.node >= 0)
          uses.push_back({number, action.kind, context.places.at(number, action.node, 8), action.which, action.amount,
                          action.condition, action.kind == FactKind::Arrives ? action.groups : uint16_t(0)});
        break;
      default: break;
      }
  }
  if (!context.analyses.budget().allows(Limit::BarrierUses, uses.size())) // each use is compared with all others
    uses.clear();
}

void BarrierRules::initialisation(const BarrierUse &use) {
  if (use.kind == FactKind::Inits || use.kind == FactKind::Invalidates || told.contains(DiagId::UninitialisedBarrier) ||
      !isComparable(use, isInit))
    return;
  if (any(use.barrier, isInit) && !isPartlyUninitialised(use.barrier) &&
      !std::binary_search(withoutInit.begin(), withoutInit.end(), use.number))
    return;
  told.insert(DiagId::UninitialisedBarrier);
  context.sink.report(DiagId::UninitialisedBarrier, context.opcodeRange(use.number), context.opcode(use.number));
}

/// Returns the register that is the index of a ring of 8-byte objects; None for other addresses.
///   shl.b32 %r3, %r2, 3;  add.s32 %r4, %r1, %r3;
LocalId BarrierRules::indexOfRing(const MemoryPlace &barrier) {
  const Step sum = barrier.isRing ? onlyStepOf(body, barrier.base) : Step();
  for (const Source &source : sum.is(isa::Operation::Add, 2) ? sum.sources() : llvm::ArrayRef<Source>()) {
    const Step scaled = source.kind == Source::Name ? onlyStepOf(body, source.local) : Step();
    if (scaled.is(isa::Operation::Shl, 2) && scaled.list[1].kind == Source::Number && scaled.list[1].number == 3)
      return scaled.list[0].local;
  }
  return LocalId::None;
}

/// Returns the possible offsets of the barrier in its variable: a few, or all slots of a ring.
llvm::SmallVector<int64_t, 8> BarrierRules::slotsOf(const MemoryPlace &barrier) {
  llvm::SmallVector<int64_t, 8> slots;
  for (const int64_t slot : barrier.slots)
    slots.push_back(slot + barrier.offset);
  if (!barrier.isRing || slots.empty())
    return slots;
  const int64_t first = slots.front();
  for (int64_t offset = barrier.stride; offset && offset <= barrier.span; offset += barrier.stride)
    slots.push_back(first + offset);
  return slots;
}

/// Returns whether no barrier is initialised at one of the possible locations of the barrier. The locations of all
/// initialisations must be known.
bool BarrierRules::isPartlyUninitialised(const MemoryPlace &barrier) {
  const bool isSomewhere = barrier.isRing && !barrier.stride; // the distance between slots is unknown
  if (barrier.root == LocalId::None || barrier.isRemote || isSomewhere)
    return false;
  llvm::SmallSet<int64_t, 16> initialised;
  for (const BarrierUse &use : uses) {
    if (!isInit(use.kind) || (use.barrier.root != LocalId::None && use.barrier.root != barrier.root))
      continue;
    if (use.barrier.root == LocalId::None || use.barrier.isRing || use.barrier.slots.empty())
      return false;
    for (const int64_t slot : use.barrier.slots)
      initialised.insert(slot + use.barrier.offset);
  }
  return llvm::any_of(slotsOf(barrier), [&](int64_t slot) { return !initialised.contains(slot); });
}

bool Reachability::leads(uint32_t first, uint32_t second) {
  const BlockId from = graph.blockOf(first), to = graph.blockOf(second);
  if (from == to && first < second)
    return true;
  auto [reached, isNew] = reachedFrom.try_emplace(indexOf(from), graph.size());
  if (isNew) {
    reached->second.addAll(graph.successors.of(from));
    reached->second.spread(graph.successors);
  }
  return reached->second.contains(to);
}

/// Returns whether both begin at the same offset, and either both are rings with the same index or neither is a ring.
bool BarrierRules::areNamedAlike(const MemoryPlace &a, const MemoryPlace &b) {
  const LocalId one = indexOfRing(a), other = indexOfRing(b);
  return beginTogether(a, b) && a.isRing == b.isRing &&
         (one == LocalId::None || other == LocalId::None || one == other);
}

/// Returns whether each iteration of a loop starts the copy, its ring of barriers recurs in the loop, and neither the
/// loop nor another thread makes the barriers expect bytes. An expectation before the loop applies to the first
/// iterations.
bool BarrierRules::isExpectedOnlyBefore(const BarrierUse &copy) {
  const LocalId index = indexOfRing(copy.barrier);
  const Loops &loops = context.analyses.loops();
  BlockId header = context.loopAround(copy.number);
  for (; index != LocalId::None && header != BlockId::None; header = loops.outer[indexOf(header)]) {
    if (!isWrittenIn(index, header) || !comesAgain(copy.barrier.base, header, body, context.analyses) ||
        !comesEachRound(copy.number, header, body, context.analyses))
      continue;
    return llvm::none_of(uses, [&](const BarrierUse &use) {
      return (use.kind == FactKind::Expects || use.kind == FactKind::Completes) &&
             !isElsewhere(use.barrier, copy.barrier) &&
             (context.isInLoop(use.number, header) || !reaches(use.number, copy.number));
    });
  }
  return false;
}

/// Returns whether a thread may make the barrier expect the bytes of the copy. An expectation after the copy applies to
/// a later phase, unless it names the barrier in the same way.
bool BarrierRules::mayExpect(const BarrierUse &expectation, const BarrierUse &copy) {
  return expectation.kind == FactKind::Expects && !isElsewhere(expectation.barrier, copy.barrier) &&
         (areNamedAlike(expectation.barrier, copy.barrier) || reaches(expectation.number, copy.number) ||
          !reaches(copy.number, expectation.number));
}

/// Returns whether a thread arrives with the instruction itself, not when operations complete.
static bool arrivesAtOnce(const Facts &facts) {
  return facts.find(FactKind::Arrives, [](const Action &action) { return action.node >= 0 && !action.groups; });
}

/// Returns the producer's arrival at its barrier that expects no bytes, in the iteration of the copy, if no other
/// instruction expects bytes there under the same name. Expectations in loops before or after it apply to other phases
/// or stages.
std::optional<uint32_t> BarrierRules::emptyArrival(const BarrierUse &copy) {
  std::optional<uint32_t> found;
  for (const BarrierUse &use : uses) {
    const bool isSamePlace = use.barrier.hasBaseOf(copy.barrier) && use.barrier.offset == copy.barrier.offset;
    const bool isInRound = context.loopAround(use.number) == context.loopAround(copy.number);
    if (use.kind == FactKind::Completes && !isElsewhere(use.barrier, copy.barrier))
      return std::nullopt;
    if (use.kind == FactKind::Expects && (isSamePlace || (isInRound && !isElsewhere(use.barrier, copy.barrier))))
      return std::nullopt;
    if (use.kind == FactKind::Arrives && isSamePlace && isInRound && use.number < copy.number &&
        arrivesAtOnce(body.facts(use.number)) && reaches(use.number, copy.number))
      found = use.number;
  }
  if (found && !copy.barrier.isVariable)
    context.body.definitions.eachWriter(copy.barrier.base, [&](uint32_t writer) {
      if (found && *found < writer && writer < copy.number)
        found.reset();
    });
  return found;
}

void BarrierRules::expectation(const BarrierUse &use) {
  if (use.kind != FactKind::Async || told.contains(DiagId::UnexpectedBytes) || use.barrier.base == LocalId::None)
    return;
  const bool isExpected =
      llvm::any_of(uses, [&](const BarrierUse &other) { return mayExpect(other, use); }) && !isExpectedOnlyBefore(use);
  const std::optional<uint32_t> arrival = isExpected ? emptyArrival(use) : std::nullopt;
  if (isExpected && !arrival)
    return;
  told.insert(DiagId::UnexpectedBytes);
  Diagnostic &diagnostic =
      context.sink.report(DiagId::UnexpectedBytes, context.opcodeRange(use.number), context.opcode(use.number));
  if (arrival)
    diagnostic.notes.push_back({"arrives there in the same iteration, and expects no bytes", context.range(*arrival)});
}

void BarrierRules::signal(const BarrierUse &use) {
  if (use.kind != FactKind::Awaits || told.contains(DiagId::NeverSignalledBarrier) || !isComparable(use, isSignal) ||
      any(use.barrier, isSignal) || context.places.numberAt(use.number, use.which) == 1)
    return;
  told.insert(DiagId::NeverSignalledBarrier);
  context.sink.report(DiagId::NeverSignalledBarrier, context.opcodeRange(use.number),
                      body.ast->text(body.function->name), context.opcode(use.number));
}

void BarrierRules::wait(const BarrierUse &use) {
  if (use.kind != FactKind::Async || told.contains(DiagId::NeverAwaitedBarrier) || !isComparable(use, isWait) ||
      llvm::is_contained(reported, use.number))
    return;
  // The last copies of a pipeline may be unused, but not the copies of each iteration.
  const bool isRepeated = context.loopAround(use.number) != BlockId::None;
  const bool isAwaited = llvm::any_of(uses, [&](const BarrierUse &other) {
    return isWait(other.kind) && !isElsewhere(other.barrier, use.barrier) &&
           (!isRepeated || reaches(use.number, other.number) || !reaches(other.number, use.number) ||
            context.areOtherThreads(use.number, other.number));
  });
  if (isAwaited)
    return;
  told.insert(DiagId::NeverAwaitedBarrier);
  context.sink.report(DiagId::NeverAwaitedBarrier, context.opcodeRange(use.number), body.ast->text(body.function->name),
                      context.opcode(use.number));
}

/// Reports reads of tensor memory if the last operations on it complete on a barrier object for which no instruction
/// waits.
void BarrierRules::completion(const BarrierUse &use) {
  if (!use.groups || told.contains(DiagId::NeverAwaitedBarrier) || !isComparable(use, isWait) ||
      any(use.barrier, isWait) || use.barrier.isRemote)
    return;
  const auto isAwaitedLater = [&](const BarrierUse &other) {
    return other.groups & use.groups && other.number > use.number && any(other.barrier, isWait) &&
           !context.areOtherThreads(use.number, other.number);
  };
  const auto readsResult = [&](uint32_t number) {
    return llvm::any_of(body.facts(number).accesses,
                        [](const Access &access) { return access.space == isa::words::tmem && access.reads(); }) &&
           !(asyncGroups(body.facts(number)) & use.groups);
  };
  const auto isOfGroups = [&](uint32_t number) { return asyncGroups(body.facts(number)) & use.groups; };
  if (llvm::any_of(uses, isAwaitedLater) || llvm::none_of(context.events, readsResult) ||
      llvm::any_of(reported, isOfGroups))
    return;
  told.insert(DiagId::NeverAwaitedBarrier);
  context.sink.report(DiagId::NeverAwaitedBarrier, context.opcodeRange(use.number), body.ast->text(body.function->name),
                      context.opcode(use.number));
}

/// Reports a wait whose result only decides about a branch to the location where execution continues anyway.
void BarrierRules::ignored() {
  const Graph &graph = context.analyses.graph();
  for (const BlockId block : graph.order) {
    const uint32_t last = graph[block].last();
    const LocalId asked = body.guard(last);
    const llvm::ArrayRef<BlockId> next = graph.successors.of(block);
    if (asked == LocalId::None || next.empty() || !llvm::all_equal(next) || !graph[block].goesOn ||
        graph[block].leaves || !body.facts(last).has(FactKind::Branches))
      continue;
    const auto wait = llvm::find_if(uses, [&](const BarrierUse &use) {
      return isWait(use.kind) && nameAt(body, use.number, use.condition) == asked;
    });
    if (wait != uses.end())
      context.sink.report(DiagId::IgnoredWait, context.opcodeRange(wait->number), context.opcode(wait->number))
          .notes.push_back({"leads to the next instruction", context.range(last)});
  }
}

/// Compares, within one block, the expected bytes with the sum of the copies to the same barrier.
void BarrierRules::bytes(const BarrierUse &expectation) {
  const std::optional<int64_t> expected = context.places.numberAt(expectation.number, expectation.amount);
  if (expectation.kind != FactKind::Expects || !expected || !expectation.barrier.isVariable)
    return;
  const Graph &graph = context.analyses.graph();
  int64_t sum = 0;
  unsigned expectations = 0;
  for (const BarrierUse &use : uses) {
    if (isElsewhere(use.barrier, expectation.barrier))
      continue;
    expectations += use.kind == FactKind::Expects;
    if (use.kind == FactKind::Completes)
      return;
    if (use.kind != FactKind::Async)
      continue;
    const std::optional<int64_t> bytes = context.places.numberAt(use.number, use.amount);
    if (!bytes || graph.blockOf(use.number) != graph.blockOf(expectation.number) ||
        body.guard(use.number) != body.guard(expectation.number))
      return;
    sum += *bytes;
  }
  if (expectations == 1 && sum && sum != *expected)
    context.sink.report(DiagId::OtherBytesExpected, context.opcodeRange(expectation.number), *expected, sum);
}

// ---- parity
bool BarrierRules::isWrittenIn(LocalId local, BlockId header) {
  bool found = false;
  body.definitions.eachWriter(local, [&](uint32_t number) { found |= context.isInLoop(number, header); });
  return found;
}

/// Returns whether both waits certainly have the same parity.
bool BarrierRules::haveSameParity(const BarrierUse &a, const BarrierUse &b) {
  const std::optional<int64_t> one = context.places.numberAt(a.number, a.which);
  const std::optional<int64_t> other = context.places.numberAt(b.number, b.which);
  return one == other && (one || nameAt(body, a.number, a.which) == nameAt(body, b.number, b.which));
}

/// Returns whether both waits certainly have different parities.
bool BarrierRules::isOtherParity(const BarrierUse &a, const BarrierUse &b) {
  const std::optional<int64_t> one = context.places.numberAt(a.number, a.which);
  const std::optional<int64_t> other = context.places.numberAt(b.number, b.which);
  return one && other && *one != *other;
}

/// Returns whether the iterations of the loop wait for the same barrier, or for the barriers of a ring in turn. If the
/// index is a mask of a counter, the parity must be the same in all loops, and the number of iterations must not be
/// bounded by a constant.
bool BarrierRules::comesRound(const BarrierUse &wait, BlockId header) {
  if (comesAgain(wait.barrier.base, header, body, context.analyses))
    return true;
  const Loops &loops = context.analyses.loops();
  for (BlockId outer = loops.outer[indexOf(header)]; outer != BlockId::None; outer = loops.outer[indexOf(outer)])
    if (changesIn(wait, outer))
      return false;
  return comesAgain(wait.barrier.base, header, body, context.analyses, Masks::OfCounters) &&
         !isBoundedByNumber(header, body, context.analyses);
}

/// Returns whether each iteration of the loop waits for the barrier, with one parity, and signals the barrier.
bool BarrierRules::isUsedInEachRound(const BarrierUse &wait, BlockId header) {
  if (!comesEachRound(wait.number, header, body, context.analyses) || !comesRound(wait, header))
    return false;
  bool isSignalled = false;
  for (const BarrierUse &use : uses) {
    if (isElsewhere(use.barrier, wait.barrier) || !context.isInLoop(use.number, header) ||
        !beginTogether(wait.barrier, use.barrier))
      continue;
    if (use.kind == FactKind::Awaits && !haveSameParity(use, wait))
      return false;
    isSignalled |=
        isSignal(use.kind) && comesEachRound(use.number, header, body, context.analyses, Sameness::UpToBound);
  }
  return isSignalled;
}

/// Returns whether the barrier is signalled again in each iteration of a loop.
bool BarrierRules::isSignalledInRounds(const BarrierUse &signal) {
  const auto [known, isNew] = signalledInRounds.try_emplace(signal.number);
  if (!isNew)
    return known->second;
  const BlockId block = context.analyses.graph().blockOf(signal.number);
  const Loops &loops = context.analyses.loops();
  BlockId header = loops.header[indexOf(block)];
  for (unsigned depth = 0;
       header != BlockId::None && context.analyses.budget().allows(Limit::OuterLoops, depth + 1) && !known->second;
       ++depth) {
    known->second = comesAgain(signal.barrier.base, header, body, context.analyses) &&
                    comesEachRound(signal.number, header, body, context.analyses);
    header = loops.outer[indexOf(header)];
  }
  return known->second;
}

/// Returns whether each iteration of the loop waits for the barrier (or for the next one of a recurring ring), and
/// other threads signal it in their own loops.
bool BarrierRules::isUsedAgain(const BarrierUse &wait, BlockId header) {
  const bool isMoreThanWait = llvm::any_of(context.events, [&](uint32_t number) {
    return !body.facts(number).has(FactKind::Awaits) && context.isInLoop(number, header);
  });
  if (!isMoreThanWait || !comesEachRound(wait.number, header, body, context.analyses) ||
      !comesAgain(wait.barrier.base, header, body, context.analyses))
    return false;
  bool isSignalled = false;
  for (const BarrierUse &use : uses) {
    if (isElsewhere(use.barrier, wait.barrier))
      continue;
    if (!beginTogether(wait.barrier, use.barrier))
      continue;
    if (use.kind == FactKind::Awaits && use.which >= 0 && !haveSameParity(use, wait))
      return false;
    isSignalled |= isSignal(use.kind) && isSignalledInRounds(use);
  }
  return isSignalled;
}

/// Returns whether the loop changes the parity for which the instruction waits, or whether threads may wait for
/// different parities, because alternating roles use every other phase.
bool BarrierRules::changesIn(const BarrierUse &wait, BlockId header) {
  const Source parity = sourceAt(body, wait.number, wait.which);
  return !context.places.numberAt(wait.number, wait.which) &&
         (!parity.isSum() ||
          !isSameEachRound(parity.local, wait.number, header, body, context.analyses, Sameness::OfRoundsAndThreads));
}

/// Returns whether the loop carries the parity for which the instruction waits from one iteration to the next. A tile
/// loop that uses each slot of a ring an even number of times starts each iteration with the same parity.
bool BarrierRules::isCarriedIn(const BarrierUse &wait, BlockId header) {
  const Source parity = sourceAt(body, wait.number, wait.which);
  return !parity.isSum() || isOfEarlierRound(parity.local, wait.number, header, body, context.analyses);
}

/// Returns whether the barriers are a ring that recurs in the loop, and the parity of another wait in the loop for the
/// same ring changes from iteration to iteration.
bool BarrierRules::isChangedByOthers(const BarrierUse &wait, BlockId header) {
  if (!wait.barrier.isRing || !comesEachRound(wait.number, header, body, context.analyses) ||
      !comesAgain(wait.barrier.base, header, body, context.analyses))
    return false;
  bool isChanged = false;
  for (const BarrierUse &use : uses) {
    if (isElsewhere(use.barrier, wait.barrier) || !context.isInLoop(use.number, header))
      continue;
    if (use.kind == FactKind::Awaits && use.which >= 0 && use.number != wait.number && isOtherParity(use, wait))
      return false;
    isChanged |= use.kind == FactKind::Awaits && use.which >= 0 && use.barrier.isRing &&
                 beginTogether(wait.barrier, use.barrier) && changesIn(use, header) && isCarriedIn(use, header) &&
                 comesAgain(use.barrier.base, header, body, context.analyses);
  }
  return isChanged;
}

void BarrierRules::parity(const BarrierUse &wait) {
  if (wait.kind != FactKind::Awaits || wait.which < 0 || told.contains(DiagId::ConstantParity))
    return;
  const Graph &graph = context.analyses.graph();
  const BlockId block = graph.blockOf(wait.number);
  if (!graph.isReached(block))
    return;
  const Loops &loops = context.analyses.loops();
  for (BlockId header = loops.header[indexOf(block)]; header != BlockId::None; header = loops.outer[indexOf(header)]) {
    if (changesIn(wait, header))
      return;
    const bool isAnew = llvm::any_of(uses, [&](const BarrierUse &use) { // each iteration initialises the barrier
      const bool isInit = use.kind == FactKind::Inits || use.kind == FactKind::Invalidates;
      return isInit && !isElsewhere(use.barrier, wait.barrier) && context.isInLoop(use.number, header);
    });
    if (isAnew || (!isUsedInEachRound(wait, header) && !isUsedAgain(wait, header) && !isChangedByOthers(wait, header)))
      continue;
    told.insert(DiagId::ConstantParity);
    context.sink
        .report(DiagId::ConstantParity, body.operands(wait.number)[wait.which].range, context.opcode(wait.number))
        .notes.push_back({"the loop begins here", context.range(graph[header].first)});
    return;
  }
}

void BarrierRules::check() {
  if (uses.empty())
    return;
  if (context.isWhole)
    withoutInit = usesWithoutInit(context, uses, reachability);
  for (const BarrierUse &use : uses) {
    if (!context.analyses.graph().isReached(context.analyses.graph().blockOf(use.number)))
      continue;
    if (context.isWhole) {
      initialisation(use);
      expectation(use);
      signal(use);
      wait(use);
      completion(use);
      bytes(use);
    }
    parity(use);
  }
  ignored();
}

void checkBarrierObjects(HazardContext &context, llvm::ArrayRef<uint32_t> reported) {
  BarrierRules(context, reported).check();
  checkOrderOfInits(context);
}

} // namespace ptxray
