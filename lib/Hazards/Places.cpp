#include "Hazards/Places.h"
#include "Hazards/Rings.h"
#include "Isa/Words.h"

namespace ptxray {

bool isSame(const MemoryPlace &a, const MemoryPlace &b) {
  return a.hasBaseOf(b) && a.offset < b.offset + std::max<int64_t>(b.bytes, 1) &&
         b.offset < a.offset + std::max<int64_t>(a.bytes, 1);
}

/// Returns whether the possible offsets of two places in their root differ. Two rings may overlap if their ends are
/// unknown.
static bool areSlotsApart(const MemoryPlace &a, const MemoryPlace &b) {
  const bool isOpen = a.isRing && !a.span, isOtherOpen = b.isRing && !b.span;
  return llvm::all_of(a.slots, [&](int64_t one) {
    return llvm::all_of(b.slots, [&](int64_t other) {
      const int64_t from = one + a.offset, to = other + b.offset;
      return (from + a.span + a.bytes <= to && !isOpen) || (to + b.span + b.bytes <= from && !isOtherOpen);
    });
  });
}

bool isElsewhere(const MemoryPlace &a, const MemoryPlace &b) {
  if (a.hasBaseOf(b))
    return !isSame(a, b) && a.bytes && b.bytes;
  if (a.root == LocalId::None || b.root == LocalId::None)
    return false;
  return a.root != b.root || (!a.slots.empty() && !b.slots.empty() && a.bytes && b.bytes && areSlotsApart(a, b));
}

bool beginTogether(const MemoryPlace &a, const MemoryPlace &b) {
  if (a.hasBaseOf(b))
    return a.offset == b.offset;
  return a.root != LocalId::None && a.root == b.root &&
         llvm::any_of(a.slots, [&](int64_t one) { return llvm::is_contained(b.slots, one + a.offset - b.offset); });
}

MemoryPlace Places::follow(LocalId local) {
  const auto [entry, isNew] = known.try_emplace(local);
  if (!isNew)
    return entry->second;
  MemoryPlace place;
  place.base = local;
  if (const Anchor anchor = addresses.of(local).anchor; anchor.local != LocalId::None) {
    place.base = anchor.local;
    place.offset = anchor.offset;
  }
  const Symbol *symbol = body.symbol(place.base);
  place.isVariable = symbol && symbol->kind == SymbolKind::Variable;
  const Root root = addresses.of(place.base).root;
  place.root = root.variable;
  place.isRemote = root.isRemote;
  if (place.root != LocalId::None)
    findSlots(place);
  return known[local] = place;
}

/// Returns the source of a value, and the offset. A value received from another lane is treated like the value of the
/// lane itself. An address of the same object in another block of the cluster has the same offset.
static Sum sumOrSame(const Step &step) {
  const bool isSame = step.isBroadcast() || step.is(isa::Operation::Mapa, 2);
  return isSame && !step.isGuarded && step.list[0].isSum()
             ? Sum{step.list[0].local, LocalId::None, step.list[0].offset()}
             : sumOf(step);
}

/// Finds the distance between the elements of a ring and between its ends. One register must count the elements, and
/// another one must scale the count.
///   shl.b32 %r3, %r2, 3;      8, and 24 if %r2 is 0 to 3
static void findExtent(MemoryPlace &ring, LocalId scaled, const Body &body, Analyses &analyses) {
  const Step step = onlyStepOf(body, scaled);
  constexpr int64_t mostShifted = 24;
  if (!step.is(isa::Operation::Shl, 2) || step.list[1].kind != Source::Number || step.list[0].kind != Source::Name ||
      step.list[1].number < 0 || step.list[1].number > mostShifted)
    return;
  const int64_t length = lengthOfRing(step.list[0].local, body, analyses);
  if (length < 2)
    return;
  ring.stride = int64_t(1) << step.list[1].number;
  ring.span = (length - 1) * ring.stride;
}

/// Finds the offsets of the base, from all instructions that write it.
void Places::findSlots(MemoryPlace &place) {
  llvm::SmallVector<std::pair<LocalId, int64_t>, 8> waiting = {{place.base, 0}};
  llvm::SmallDenseMap<LocalId, int64_t, 8> seen = {{place.base, 0}};
  bool isKnown = true;
  LocalId index = LocalId::None;
  unsigned indices = 0;
  while (!waiting.empty() && isKnown) {
    const auto [local, offset] = waiting.pop_back_val();
    if (local == place.root) {
      place.slots.push_back(offset);
      continue;
    }
    isKnown = body.definitions.isWritten(local) && analyses.budget().allows(Limit::BaseRegisters, seen.size());
    body.definitions.eachWriter(local, [&, offset = offset](uint32_t number) {
      Sum step = sumOrSame(stepOf(body, number));
      if (step.index != LocalId::None && addresses.of(step.source).root.variable == LocalId::None)
        std::swap(step.source, step.index);
      place.isRing |= step.index != LocalId::None;
      indices += step.index != LocalId::None;
      index = step.index != LocalId::None ? step.index : index;
      isKnown = isKnown && step.source != LocalId::None;
      if (!isKnown)
        return;
      const auto [before, isNew] = seen.try_emplace(step.source, offset + step.added);
      if (isNew)
        waiting.push_back({step.source, offset + step.added});
      isKnown = before->second == offset + step.added; // otherwise the base runs through the variable
    });
  }
  if (!isKnown || (place.isRing && place.slots.size() > 1)) {
    place.slots.clear();
    place.isRing = false;
  }
  if (place.isRing && indices == 1)
    findExtent(place, index, body, analyses);
}

LocalId nameAt(const Body &body, uint32_t number, int node) { return sourceAt(body, number, node).local; }

MemoryPlace Places::at(uint32_t number, uint32_t node, uint32_t bytes) {
  return of(sourceAt(body, number, static_cast<int>(node)), bytes);
}

MemoryPlace Places::of(const Source &source, uint32_t bytes) {
  if (source.local == LocalId::None)
    return {};
  MemoryPlace place = follow(source.local);
  place.offset += source.offset();
  place.bytes = bytes;
  return place;
}

bool isChosen(BlockId a, BlockId b, Analyses &analyses) {
  const DominatorTree &before = analyses.dominators(), &after = analyses.postDominators();
  if (!after.contains(a))
    return false;
  const std::vector<BlockId> &choices = analyses.threadChoices();
  for (BlockId above = choices[indexOf(a)]; above != BlockId::None; above = choices[indexOf(above)]) {
    const bool holdsForBoth = before.dominates(above, b) && after.contains(b) && !after.dominates(b, above);
    if (!after.dominates(a, above) && !holdsForBoth)
      return true;
  }
  return false;
}

bool areOtherThreads(BlockId a, BlockId b, Analyses &analyses) {
  return isChosen(a, b, analyses) && isChosen(b, a, analyses);
}

bool isShared(isa::WordId space) {
  return space == isa::words::shared || space == isa::words::shared_cta || space == isa::words::shared_cluster;
}

} // namespace ptxray
