// missing-proxy-fence, unfenced-copy: shared memory written through the generic proxy and read through the async proxy.
#include "Hazards/Cures.h"
#include <algorithm>

namespace ptxray {
namespace {

/// A write of shared memory through the generic proxy.
struct GenericWrite {
  uint32_t number;
  MemoryPlace place;
  bool isCopy; // an asynchronous copy
};

/// For each write, whether a fence followed, or copies arrived that may provide the data of the next read. The last
/// entry records whether a fence has ordered a write since the last read.
class Unfenced : public WorseLevels {
public:
  enum Level : uint8_t { Dirty, Old, Ordered, NotStarted };
  explicit Unfenced(HazardContext &context);
  size_t levels() const { return writes.size() + 1; }
  Levels start() const { return Levels::all(levels(), NotStarted); }
  void step(Levels &state, uint32_t number) const;
  /// Returns whether no write is ordered, so that the bytes of the next read must have been written since.
  bool isNothingOrdered(const Levels &state) const { return state.of.back() == Dirty; }

  std::vector<GenericWrite> writes;
  std::vector<uint32_t> reads; // reads through the async proxy
  std::vector<uint32_t> places;
  bool hasBulkCopies = false; // copies into shared memory

private:
  bool isFence(uint32_t number) const { return orders(body.facts(number), isa::Ordered::Generic, isa::Ordered::Async); }

  const Body &body;
  uint16_t copyGroups = 0; // groups of copies into shared memory
};

} // namespace

Unfenced::Unfenced(HazardContext &context) : body(context.body) {
  for (const uint32_t number : context.events) {
    const Facts &facts = body.facts(number);
    const Action *async = facts.find(FactKind::Async);
    const bool isGeneric = !async || async->proxy() == isa::Proxy::Generic;
    bool isConcerned =
        isFence(number) || body.callsUnknown(number) || facts.has(FactKind::Awaits) || facts.has(FactKind::Waits);
    for (const Access &access : facts.accesses) {
      if (!isShared(access.space))
        continue;
      if (isGeneric && access.writes() && !facts.has(FactKind::Allocates) && !(async && async->node >= 0) &&
          context.analyses.budget().allows(Limit::Writes, writes.size() + 1)) {
        writes.push_back({number, context.places.at(number, access.node, access.bytes), async != nullptr});
        copyGroups |= async ? async->groups : 0;
        isConcerned = true;
      } else if (!isGeneric && access.reads()) {
        if (reads.empty() || reads.back() != number)
          reads.push_back(number);
        isConcerned = true;
      } else if (!isGeneric && access.writes()) {
        hasBulkCopies = true;
      }
    }
    if (isConcerned)
      places.push_back(number);
  }
}

void Unfenced::step(Levels &state, uint32_t number) const {
  if (std::ranges::binary_search(reads, number))
    state.of.back() = Dirty;
  llvm::MutableArrayRef<uint8_t> levels = llvm::MutableArrayRef(state.of).drop_back();
  if (isFence(number) || body.callsUnknown(number)) {
    if (llvm::is_contained(levels, Dirty) || body.callsUnknown(number))
      state.of.back() = Ordered;
    for (uint8_t &level : levels)
      level = std::max<uint8_t>(level, level == NotStarted ? NotStarted : Ordered);
    return;
  }
  auto write = llvm::partition_point(writes, [&](const GenericWrite &one) { return one.number < number; });
  for (; write != writes.end() && write->number == number; ++write)
    levels[write - writes.begin()] = Dirty;
  const Facts &facts = body.facts(number);
  if ((hasBulkCopies && facts.find(FactKind::Awaits, [](const Action &action) { return action.node >= 0; })) ||
      waitsFor(facts, copyGroups))
    for (auto [level, one] : llvm::zip_equal(levels, writes))
      if (level == Dirty && !one.isCopy)
        level = Old;
}

namespace {

class ProxyRules {
public:
  ProxyRules(HazardContext &context, const Unfenced &unfenced) : context(context), unfenced(unfenced) {}
  void read(uint32_t number, const Access &access, const Levels &state);

private:
  bool mayBeElsewhere(size_t candidate, uint32_t number, const MemoryPlace &place, const Levels &state) const;
  bool isHandedOn(uint32_t write, uint32_t number) const;

  HazardContext &context;
  const Unfenced &unfenced;
  bool isCopyTold = false, isWriteTold = false; // reported only once per body
};

} // namespace

/// Returns whether a barrier of the block, and no ordinary read of shared memory, is between the two instructions in
/// the source.
bool ProxyRules::isHandedOn(uint32_t write, uint32_t number) const {
  bool isBarrier = false;
  for (auto event = llvm::upper_bound(context.events, write); event != context.events.end() && *event < number;
       ++event) {
    const Facts &facts = context.body.facts(*event);
    isBarrier |= facts.has(FactKind::Syncs);
    if (!facts.has(FactKind::Async) && llvm::any_of(facts.accesses, [](const Access &access) {
          return isShared(access.space) && access.reads() && access.kind == isa::Access::Reads;
        }))
      return false;
  }
  return isBarrier;
}

/// Returns whether a write after a fence that ordered other writes may be at a different location than the read.
/// Returns false if it has the same location as one of those writes.
bool ProxyRules::mayBeElsewhere(size_t candidate, uint32_t number, const MemoryPlace &place,
                                const Levels &state) const {
  const GenericWrite &write = unfenced.writes[candidate];
  if (beginTogether(place, write.place) || isSame(place, write.place) ||
      (unfenced.isNothingOrdered(state) && isHandedOn(write.number, number)))
    return false;
  bool isSomeOrdered = false;
  for (size_t i = 0; i < candidate; ++i)
    if (state.of[i] == Unfenced::Ordered && !isElsewhere(place, unfenced.writes[i].place)) {
      isSomeOrdered = true;
      if (beginTogether(unfenced.writes[i].place, write.place))
        return false;
    }
  return isSomeOrdered;
}

/// Reports a read. The message names the last preceding write in the source.
void ProxyRules::read(uint32_t number, const Access &access, const Levels &state) {
  // A bulk copy may have written the memory that a descriptor describes.
  if (!isShared(access.space) || !access.reads() || (access.isDescribed && unfenced.hasBulkCopies))
    return;
  const MemoryPlace place = context.placeOf(number, access);
  const GenericWrite *last[2] = {};
  for (auto [i, write] : llvm::enumerate(unfenced.writes))
    if (state.of[i] <= (access.isDescribed ? Unfenced::Dirty : Unfenced::Old) &&
        !(write.isCopy ? isCopyTold : isWriteTold) && !isElsewhere(place, write.place) &&
        !(last[write.isCopy] && write.number > number) && !mayBeElsewhere(i, number, place, state) &&
        !context.areOtherThreads(write.number, number))
      last[write.isCopy] = &write;
  for (const GenericWrite *write : last) {
    if (!write)
      continue;
    (write->isCopy ? isCopyTold : isWriteTold) = true;
    const auto id = write->isCopy ? IdTakingTexts<2>(DiagId::UnfencedCopy) : DiagId::MissingProxyFence;
    Diagnostic &diagnostic = context.report(id, number, write->number, "written here");
    offerProxyFence(diagnostic, context, write->number, write->isCopy, number);
  }
}

void checkProxies(HazardContext &context) {
  const Unfenced unfenced(context);
  if (unfenced.reads.empty() || unfenced.writes.empty())
    return;
  ProxyRules rules(context, unfenced);
  Solution(context.analyses, unfenced).replay([&](uint32_t number, const Levels &state) {
    if (std::ranges::binary_search(unfenced.reads, number))
      for (const Access &access : context.body.facts(number).accesses)
        rules.read(number, access, state);
  });
}

} // namespace ptxray
