// copy-without-barrier, allocation-without-barrier: data that one thread has observed in shared memory is visible to
// other threads only after a barrier.
#include "Hazards/Hazards.h"
#include "Isa/Isa.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallSet.h"

namespace ptxray {
namespace {

/// An instruction that writes shared memory also for other threads.
struct Delivery {
  uint32_t number;
  MemoryPlace place;
};

/// For all copies together, and for each allocation, whether a barrier followed their completion.
class Handovers {
public:
  using State = Levels;
  enum Level : uint8_t { Begun, Complete, Shared, NotBegun };

  explicit Handovers(HazardContext &context);
  size_t levels() const { return 1 + allocations.size(); }
  State start() const { return Levels::all(levels(), NotBegun); }
  void step(State &state, uint32_t number) const;
  bool join(State &known, const State &other, BlockId block, bool isBack) const;

  std::vector<Delivery> copies, allocations;
  std::vector<uint32_t> places;
  bool hasBulkCopies = false;

private:
  void copy(uint8_t &level, uint32_t number) const;

  const Body &body;
  uint16_t groups = 0; // groups of the copies
};

class HandoverRules {
public:
  HandoverRules(HazardContext &context, const Handovers &handovers)
      : context(context), body(context.body), handovers(handovers) {}
  void read(uint32_t number, const Access &access, const Levels &state);

private:
  void copied(uint32_t number, const Access &access, const MemoryPlace &place);
  void allocated(uint32_t number, const MemoryPlace &place, const Delivery &allocation);
  bool isForAll(uint32_t number, uint32_t allocation);
  bool isNeeded(uint32_t number);

  HazardContext &context;
  const Body &body;
  const Handovers &handovers;
  llvm::SmallSet<DiagId, 2> told; // rules that are reported only once per body
};

} // namespace

/// Returns whether the instruction makes threads wait for other threads at the same instruction.
static bool isBarrierFor(isa::Scope least, const Facts &facts) {
  return llvm::any_of(facts.actions, [&](const Action &action) {
    return action.kind == FactKind::Awaits || action.kind == FactKind::Acquires ||
           (action.kind == FactKind::Syncs && action.scope() >= least);
  });
}

Handovers::Handovers(HazardContext &context) : places(context.events), body(context.body) {
  for (const uint32_t number : context.events) {
    const Facts &facts = body.facts(number);
    for (const Access &access : facts.accesses) {
      if (!isShared(access.space) || !access.writes())
        continue;
      const Delivery delivery = {number, context.places.at(number, access.node, access.bytes)};
      if (facts.has(FactKind::Allocates) &&
          context.analyses.budget().allows(Limit::Allocations, allocations.size() + 1))
        allocations.push_back(delivery);
      for (const Action &action : facts.actions) {
        const bool isAsync = action.kind == FactKind::Async;
        hasBulkCopies |= isAsync && action.node >= 0;
        if (!isAsync || action.node >= 0 || !(action.groups & committedGroups()) ||
            !context.analyses.budget().allows(Limit::Operations, copies.size() + 1))
          continue;
        copies.push_back(delivery);
        groups |= action.groups;
      }
    }
  }
}

/// Joins two paths. The better state is used, except for back edges, because usually the threads that copy also wait.
bool Handovers::join(Levels &known, const Levels &other, BlockId, bool isBack) const {
  bool changed = false;
  for (auto [own, others] : llvm::zip_equal(known.of, other.of)) {
    // In the first iteration, the copies of a loop have not started yet, regardless of later iterations.
    const bool isWorse = isBack ? std::min(own, others) != Shared : own == NotBegun || others == NotBegun;
    const uint8_t level = isWorse ? std::min(own, others) : std::max(own, others);
    changed |= level != own;
    own = level;
  }
  return changed;
}

/// Updates the state of the copies for an instruction. It is unknown whether a read accesses copied data, so an
/// ordinary write is also treated as sharing. A barrier object synchronises other threads by itself.
void Handovers::copy(uint8_t &level, uint32_t number) const {
  const Facts &facts = body.facts(number);
  if (level == Complete && isBarrierFor(isa::Scope::Warp, facts))
    level = Shared;
  for (const Action &action : facts.actions) {
    if (!(action.groups & groups))
      continue;
    if (action.kind == FactKind::Async && level == NotBegun)
      level = Begun;
    else if (action.kind == FactKind::Waits && level == Begun)
      level = Complete;
    else if (action.kind == FactKind::Arrives)
      level = Shared;
  }
  const bool isOwnWrite =
      !hasAny<FactKind::Async, FactKind::Allocates, FactKind::Inits>(facts) &&
      llvm::any_of(facts.accesses, [](const Access &access) { return isShared(access.space) && access.writes(); });
  if (isOwnWrite)
    level = Shared;
}

void Handovers::step(Levels &state, uint32_t number) const {
  if (body.callsUnknown(number))
    std::fill(state.of.begin(), state.of.end(), Shared);
  copy(state.of.front(), number);
  const bool isBarrier = isBarrierFor(isa::Scope::Cta, body.facts(number));
  for (auto [i, allocation] : llvm::enumerate(allocations)) {
    uint8_t &level = state.of[1 + i];
    if (allocation.number == number)
      level = Complete;
    else if (isBarrier && level == Complete)
      level = Shared;
  }
}

/// Checks a read. Each thread reads data at the addresses of the lanes of its warp, or data that a descriptor
/// describes.
void HandoverRules::copied(uint32_t number, const Access &access, const MemoryPlace &place) {
  const bool readsForOthers = access.isDescribed || body.facts(number).has(FactKind::Converged);
  if (told.contains(DiagId::CopyWithoutBarrier) || !readsForOthers || (access.isDescribed && handovers.hasBulkCopies))
    return;
  const auto copy = llvm::find_if(handovers.copies, [&](const Delivery &one) {
    return !isElsewhere(one.place, place) && !context.areOtherThreads(one.number, number);
  });
  if (copy == handovers.copies.end())
    return;
  told.insert(DiagId::CopyWithoutBarrier);
  context.report(DiagId::CopyWithoutBarrier, number, copy->number, "copied here");
}

/// Returns whether more threads reach the instruction than the allocation, which only one warp executes.
bool HandoverRules::isForAll(uint32_t number, uint32_t allocation) {
  const Graph &graph = context.analyses.graph();
  const BlockId reading = graph.blockOf(number), allocating = graph.blockOf(allocation);
  const LocalId guard = body.guard(allocation);
  const bool isOfOneWarp = (guard != LocalId::None && context.analyses.sharing().of(guard).isOfThread) ||
                           isChosen(allocating, reading, context.analyses);
  return isOfOneWarp && body.guard(number) == LocalId::None && !isChosen(reading, allocating, context.analyses);
}

/// Returns whether all reading threads use the value, because a compiler may let all threads read a value that only one
/// warp needs.
bool HandoverRules::isNeeded(uint32_t number) {
  const Graph &graph = context.analyses.graph();
  llvm::SmallDenseSet<LocalId, 4> results;
  body.eachUse(number, [&](NamedUse use) {
    if (use.uses & Writes)
      results.insert(use.local);
  });
  for (uint32_t other = 0; other < body.size(); ++other) {
    bool reads = false;
    body.eachUse(other, [&](NamedUse use) { reads |= (use.uses & Reads) && results.contains(use.local); });
    if (reads && body.guard(other) == LocalId::None && graph.isReached(graph.blockOf(other)) &&
        !isChosen(graph.blockOf(other), graph.blockOf(number), context.analyses))
      return true;
  }
  return false;
}

void HandoverRules::allocated(uint32_t number, const MemoryPlace &place, const Delivery &allocation) {
  if (told.contains(DiagId::AllocationWithoutBarrier) || !isSame(place, allocation.place) ||
      !isForAll(number, allocation.number) || !isNeeded(number))
    return;
  told.insert(DiagId::AllocationWithoutBarrier);
  context.report(DiagId::AllocationWithoutBarrier, number, allocation.number, "written here, by one warp");
}

void HandoverRules::read(uint32_t number, const Access &access, const Levels &state) {
  if (!isShared(access.space) || !access.reads())
    return;
  const MemoryPlace place = context.placeOf(number, access);
  if (state.of.front() == Handovers::Complete)
    copied(number, access, place);
  for (auto [i, allocation] : llvm::enumerate(handovers.allocations))
    if (state.of[1 + i] == Handovers::Complete)
      allocated(number, place, allocation);
}

void checkHandovers(HazardContext &context) {
  const Handovers handovers(context);
  if (handovers.copies.empty() && handovers.allocations.empty())
    return;
  HandoverRules rules(context, handovers);
  Solution(context.analyses, handovers).replay([&](uint32_t number, const Levels &state) {
    for (const Access &access : context.body.facts(number).accesses)
      rules.read(number, access, state);
  });
}

} // namespace ptxray
