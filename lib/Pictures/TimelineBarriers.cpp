#include "Pictures/TimelineBarriers.h"
#include "llvm/ADT/Sequence.h"
#include <array>

namespace ptxray {

using isa::FactKind;

void TimelineBarriers::findBases() {
  for (const uint32_t number : context.events)
    for (const Action &action : body.facts(number).actions)
      if (action.kind == FactKind::Inits && action.node >= 0) {
        const MemoryPlace place = context.places.at(number, static_cast<uint32_t>(action.node), 8);
        if (place.base != LocalId::None && place.root == LocalId::None)
          bases.insert(place.base);
      }
}

/// Returns a location that is computed from a register through which barriers are initialised. Which of the barriers it
/// refers to is known only at run time.
MemoryPlace TimelineBarriers::throughRing(const MemoryPlace &place) {
  constexpr size_t mostPlaces = 32;
  llvm::SmallVector<MemoryPlace, 8> waiting = {place};
  for (size_t i = 0; i < waiting.size(); ++i) { // `waiting` grows in the loop
    MemoryPlace one = waiting[i];
    if (one.base == LocalId::None || one.root != LocalId::None || bases.contains(place.base))
      continue;
    if (i && bases.contains(one.base)) {
      one.isRing = true;
      return one;
    }
    const uint32_t writer = context.body.definitions.only(one.base);
    const Step step = writer == Definitions::none ? Step() : stepOf(body, writer);
    for (const Source &source : step.sources())
      if (source.kind == Source::Name && waiting.size() < mostPlaces) {
        MemoryPlace before = context.places.of(source);
        before.offset += one.offset;
        waiting.push_back(before);
      }
  }
  return place;
}

int TimelineBarriers::of(uint32_t number, const Action &action) {
  if (action.node < 0)
    return -1;
  MemoryPlace place = context.places.at(number, static_cast<uint32_t>(action.node), 8);
  const bool isRemote = std::exchange(place.isRemote, false);
  // The corresponding object in another block of the cluster has the same purpose.
  const uint32_t writer = place.base == LocalId::None ? Definitions::none : context.body.definitions.only(place.base);
  if (writer != Definitions::none && body.facts(writer).computation.isKnown &&
      body.facts(writer).computation.operation == isa::Operation::Mapa) {
    const int64_t offset = place.offset;
    place = context.places.at(writer, 1, 8);
    place.offset += offset;
    place.isRemote = false;
  }
  place = throughRing(place);
  const std::string text = texts.place(place);
  if (text.empty())
    return -1;
  const auto [entry, isNew] = numbers.try_emplace(text, static_cast<uint32_t>(barriers.size()));
  if (isNew) {
    barriers.emplace_back().place = text;
    barriers.back().isRing = place.isRing;
    place.isRemote = isRemote;
    places.push_back(place);
  }
  return static_cast<int>(entry->second);
}

static void setOnce(std::string &known, const std::string &text, bool isFirst) {
  known = isFirst || known == text ? text : "";
}

void TimelineBarriers::use(int one, uint32_t number, EventKind kind, const Action &action) {
  TimelineBarrier &barrier = barriers[static_cast<size_t>(one)];
  switch (kind) {
  case EventKind::Init:
    setOnce(barrier.count, texts.amount(number, action), barrier.inits.empty());
    barrier.inits.push_back(texts.line(number));
    ++barrier.objects;
    break;
  case EventKind::Expect:
    setOnce(barrier.expected, texts.amount(number, action), barrier.expects.empty());
    barrier.expects.push_back(texts.line(number));
    break;
  case EventKind::Operation:
  case EventKind::Complete:
  case EventKind::Arrive: barrier.signals.push_back(texts.line(number)); break;
  case EventKind::Await: barrier.waits.push_back(texts.line(number)); break;
  default: break;
  }
}

static auto linesOf(TimelineBarrier &barrier) {
  return std::array{&barrier.inits, &barrier.expects, &barrier.signals, &barrier.waits};
}

int64_t TimelineBarriers::offsetOf(size_t barrier) const {
  const MemoryPlace &place = places[barrier];
  return place.offset + (place.slots.empty() ? 0 : place.slots.front());
}

/// Returns whether the object is the next one in the ring. Its own address must appear only in its initialisation.
bool TimelineBarriers::isNextOf(size_t ring, size_t barrier) {
  const TimelineBarrier &whole = barriers[ring], &one = barriers[barrier];
  const bool isFirst = offsetOf(ring) == offsetOf(barrier);
  const bool isUsed = !one.expects.empty() || !one.signals.empty() || !one.waits.empty();
  const bool hasOtherCount = !one.inits.empty() && !whole.inits.empty() && whole.count != one.count;
  constexpr int64_t mostBytes = 16; // distance of an object to one of another ring next to it
  return !hasOtherCount && offsetOf(barrier) <= offsetOf(ring) + mostBytes * static_cast<int64_t>(whole.objects) &&
         (isFirst || (!isUsed && !one.inits.empty()));
}

void TimelineBarriers::addToRing(size_t ring, size_t barrier) {
  TimelineBarrier &whole = barriers[ring], &one = barriers[barrier];
  if (!one.inits.empty()) {
    ++whole.objects;
    whole.count = one.count;
  }
  for (auto [to, from] : llvm::zip(linesOf(whole), linesOf(one)))
    to->insert(to->end(), from->begin(), from->end());
  if (whole.expected.empty())
    whole.expected = one.expected;
}

/// Returns, for each barrier, the ring that contains it, or itself. A ring is accessed through a register. Its objects
/// are initialised one by one, at consecutive addresses.
std::vector<size_t> TimelineBarriers::rings() {
  const auto numbers = llvm::seq<size_t>(0, barriers.size());
  std::vector<size_t> ringOf(numbers.begin(), numbers.end()), order = ringOf;
  llvm::stable_sort(order, [&](size_t a, size_t b) {
    return std::pair(offsetOf(a), !barriers[a].isRing) < std::pair(offsetOf(b), !barriers[b].isRing);
  });
  llvm::DenseMap<LocalId, size_t> open; // keyed by the register in their addresses
  for (const size_t one : order) {
    const MemoryPlace &place = places[one];
    const LocalId root = place.root == LocalId::None ? place.base : place.root;
    if (!place.isVariable && place.root != LocalId::None && place.slots.size() != 1)
      continue;
    if (barriers[one].isRing) {
      open[root] = one;
      continue;
    }
    const auto ring = open.find(root);
    if (ring == open.end())
      continue;
    if (isNextOf(ring->second, one)) {
      addToRing(ring->second, one);
      ringOf[one] = ring->second;
    } else {
      open.erase(ring);
    }
  }
  return ringOf;
}

/// Returns the barriers, sorted by their first lines.
TimelineBarriers::Folded TimelineBarriers::fold() {
  const std::vector<size_t> ringOf = rings();
  std::vector<std::pair<uint32_t, size_t>> order;
  for (const auto &[number, barrier] : llvm::enumerate(barriers)) {
    uint32_t first = ~0u;
    for (Lines *lines : linesOf(barrier)) {
      llvm::sort(*lines);
      first = lines->empty() ? first : std::min(first, lines->front());
    }
    if (ringOf[number] == number)
      order.push_back({first, number});
  }
  llvm::sort(order);
  Folded folded{{}, std::vector<int>(barriers.size())};
  for (const auto &[line, number] : order) {
    folded.numbers[number] = static_cast<int>(folded.barriers.size());
    folded.barriers.push_back(std::move(barriers[number]));
  }
  for (const auto &[number, ring] : llvm::enumerate(ringOf))
    folded.numbers[number] = folded.numbers[ring];
  return folded;
}

} // namespace ptxray
