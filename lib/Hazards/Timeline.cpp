#include "Hazards/Timeline.h"
#include "Hazards/Conditions.h"
#include "Hazards/Hazards.h"
#include "Isa/FactNames.h"
#include "Isa/Isa.h"
#include "Isa/Words.h"
#include "Source/SourceBuffer.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/StringExtras.h"
#include <array>
#include <map>

namespace ptxray {

using isa::FactKind;

llvm::StringRef kindName(EventKind kind) {
  static constexpr llvm::StringLiteral names[] = {
      "operation", "commit",  "wait",  "init",     "invalidate", "expect", "arrive", "complete",
      "await",     "barrier", "fence", "allocate", "relinquish", "free",   "call",   "hazard"};
  return names[static_cast<size_t>(kind)];
}

namespace {

/// What one instruction is in the time line.
struct Meaning {
  EventKind kind;
  const Action *action;
};

/// What may become a section, if some event stands in it.
struct Nest {
  TimelineSection::Kind kind;
  int parent, section;
  unsigned depth;
  BlockId block; // the header, or the one whose end decides
  unsigned way;  // to which of its successors
};

class TimelineMaker {
public:
  TimelineMaker(HazardContext &context, const SourceBuffer &source)
      : context(context), body(context.body), source(source), graph(context.analyses.graph()),
        conditions(body, context.analyses, context.places),
        flight(body, context.analyses, context.places, context.events) {}
  Timeline make();

private:
  static constexpr size_t mostEvents = 10000;
  static constexpr unsigned mostNests = 64;

  uint32_t line(uint32_t number) const { return source.lineColumn(body.instruction(number).opcodeRange.begin).line; }
  std::string operand(uint32_t number, int node) const;
  std::string amount(uint32_t number, const Action &action);
  std::string name(LocalId local) const;
  std::string placeText(const MemoryPlace &place) const;
  llvm::StringRef mnemonic(uint32_t number) const;

  std::optional<Meaning> meaningOf(uint32_t number) const;
  void add(uint32_t number, Meaning meaning);
  std::string textOf(uint32_t number, Meaning meaning);
  std::string operationText(uint32_t number);
  std::string waitText(uint32_t number, const Action &action);
  std::string barrierText(uint32_t number, const Action &action);
  std::string fenceText(uint32_t number) const;
  std::string allocationText(uint32_t number, EventKind kind, const Action &action);

  int barrierOf(uint32_t number, const Action &action);
  void findBarrierBases();
  MemoryPlace throughRing(MemoryPlace place, unsigned depth);
  void use(TimelineBarrier &barrier, uint32_t number, EventKind kind, const Action &action);
  int64_t offsetOf(size_t barrier) const;
  bool isNextOf(size_t ring, size_t barrier);
  void addToRing(size_t ring, size_t barrier);
  std::vector<size_t> rings();
  void foldRings();

  template <typename See> void eachLoopAround(BlockId block, See see) const;
  void findLoops();
  void findNests();
  int nest(TimelineSection::Kind kind, int parent, BlockId block, unsigned way);
  bool isStillIn(int nest, BlockId block) const;
  int sectionOf(BlockId block) { return sectionOfNest(nestOf[indexOf(block)]); }
  int sectionOfNest(int nest);
  std::optional<unsigned> wayTo(BlockId from, BlockId block) const;
  bool isRole(BlockId above);
  std::string conditionOf(BlockId above, unsigned way);

  void follow();
  void addHazards();

  HazardContext &context;
  const Body &body;
  const SourceBuffer &source;
  const Graph &graph;
  Conditions conditions;
  const InFlight flight;
  Timeline made;
  llvm::DenseMap<uint32_t, uint32_t> eventOf; // by instruction
  std::map<std::string, uint32_t> barriers;   // by place
  std::vector<MemoryPlace> barrierPlaces;     // by barrier
  llvm::SmallSet<LocalId, 4> barrierBases;    // registers that barriers are initialised from
  std::vector<Nest> nests;
  std::vector<int> nestOf;                                    // by block
  std::map<std::tuple<int, uint32_t, unsigned>, int> known;   // nests, by parent, block and way
  llvm::DenseMap<uint32_t, std::pair<uint32_t, bool>> loopOf; // by header: its last instruction; it only waits
};

} // namespace

// ---- words
/// Mangled names are long.
static std::string shortened(llvm::StringRef text, size_t most = 32) {
  return text.size() <= most ? text.str() : (text.take_front(most / 2) + "..." + text.take_back(most / 4)).str();
}

std::string TimelineMaker::name(LocalId local) const { return shortened(body.text(local)); }

llvm::StringRef TimelineMaker::mnemonic(uint32_t number) const {
  const isa::Mnemonic *known = body.verdicts[number]->opcode ? body.verdicts[number]->opcode->mnemonic : nullptr;
  return known ? llvm::StringRef(known->text) : context.opcode(number);
}

std::string TimelineMaker::operand(uint32_t number, int node) const {
  return shortened(
      source.text(body.ast->operands[body.instruction(number).operands.first + static_cast<uint32_t>(node)].range));
}

std::string TimelineMaker::amount(uint32_t number, const Action &action) {
  if (const auto known = context.places.numberAt(number, action.amount))
    return std::to_string(*known);
  if (action.amount >= 0)
    return operand(number, action.amount);
  return action.number ? std::to_string(action.number) : "";
}

static std::string plus(int64_t offset) {
  return offset ? (offset < 0 ? "" : "+") + std::to_string(offset) : std::string();
}

std::string TimelineMaker::placeText(const MemoryPlace &place) const {
  if (place.base == LocalId::None)
    return "";
  std::string text;
  if (place.isVariable || (place.root != LocalId::None && !place.slots.empty() && place.slots.size() <= 4)) {
    text = name(place.isVariable ? place.base : place.root);
    if (place.isVariable)
      return text + plus(place.offset);
    llvm::SmallVector<int64_t, 2> slots = place.slots;
    llvm::sort(slots);
    for (const auto &[i, slot] : llvm::enumerate(slots))
      text += (i ? " or " : "") + plus(slot + place.offset);
    text += place.isRing ? " + ..." : "";
  } else {
    text = name(place.base) + plus(place.offset) + (place.isRing ? " + ..." : "");
    if (place.root != LocalId::None)
      text += " in " + name(place.root);
  }
  return text + (place.isRemote ? " of another block" : "");
}

// ---- instructions
std::optional<Meaning> TimelineMaker::meaningOf(uint32_t number) const {
  static constexpr std::pair<FactKind, EventKind> kinds[] = {{FactKind::Async, EventKind::Operation},
                                                             {FactKind::Commits, EventKind::Commit},
                                                             {FactKind::Waits, EventKind::Wait},
                                                             {FactKind::Inits, EventKind::Init},
                                                             {FactKind::Invalidates, EventKind::Invalidate},
                                                             {FactKind::Expects, EventKind::Expect},
                                                             {FactKind::Completes, EventKind::Complete},
                                                             {FactKind::Syncs, EventKind::Barrier},
                                                             {FactKind::Arrives, EventKind::Arrive},
                                                             {FactKind::Awaits, EventKind::Await},
                                                             {FactKind::Allocates, EventKind::Allocate},
                                                             {FactKind::Relinquishes, EventKind::Relinquish},
                                                             {FactKind::Frees, EventKind::Free},
                                                             {FactKind::Orders, EventKind::Fence}};
  for (const auto &[fact, kind] : kinds)
    for (const Action &action : body.facts(number).actions) {
      if (action.kind != fact)
        continue;
      const bool isScope =
          action.node < 0 && (kind == EventKind::Barrier || kind == EventKind::Arrive || kind == EventKind::Await);
      if (isScope && action.scope() < isa::Scope::Warpgroup)
        continue;
      return Meaning{isScope ? EventKind::Barrier : kind, &action};
    }
  return body.callsUnknown(number) ? std::optional(Meaning{EventKind::Call, nullptr}) : std::nullopt;
}

std::string TimelineMaker::operationText(uint32_t number) {
  std::string text;
  for (const Access &access : body.facts(number).accesses) {
    const bool isWrite = access.kind == isa::Access::Writes || access.kind == isa::Access::Updates;
    const bool isRead = access.kind == isa::Access::Reads;
    const bool isOwn = isShared(access.space) || access.space == isa::words::tmem;
    if (access.isDescribed || !isOwn || !(isWrite || isRead))
      continue;
    const std::string place = placeText(context.places.at(number, access.node, access.bytes));
    if (place.empty())
      continue;
    text += (text.empty() ? "" : ", ") + std::string(isWrite ? "to " : "from ") + place;
    text += access.bytes ? " (" + std::to_string(access.bytes) + " bytes)" : "";
  }
  return text;
}

static std::string groupsText(uint16_t groups) {
  std::string text;
  for (const auto &[i, group] : llvm::enumerate(isa::tables().groups))
    if (groups >> i & 1)
      text += (text.empty() ? "" : ", ") + std::string(group);
  return text;
}

std::string TimelineMaker::waitText(uint32_t number, const Action &action) {
  const std::string left = amount(number, action);
  return groupsText(action.groups) + (left.empty() || left == "0" ? "" : ", " + left + " may be pending") +
         (action.isReads ? ", until they have read" : "");
}

std::string TimelineMaker::barrierText(uint32_t number, const Action &action) {
  const char *const verb = action.kind == FactKind::Arrives  ? "arrives, barrier of the "
                           : action.kind == FactKind::Awaits ? "waits, barrier of the "
                                                             : "all threads of the ";
  std::string text = verb + std::string(isa::scopeNames[action.detail]);
  if (const std::string threads = action.amount >= 0 ? amount(number, action) : ""; !threads.empty())
    text = (action.kind == FactKind::Arrives ? "arrives, with " : "") + threads + " threads";
  if (action.which >= 0) {
    const auto which = context.places.numberAt(number, action.which);
    text += ", number " + (which ? std::to_string(*which) : operand(number, action.which));
  }
  return text;
}

std::string TimelineMaker::fenceText(uint32_t number) const {
  std::string text;
  for (const Action &action : body.facts(number).actions) {
    if (action.kind != FactKind::Orders)
      continue;
    text += (text.empty() ? "" : ", ") + std::string(isa::orderedNames[action.detail]);
    if (action.other)
      text += " before " + std::string(isa::orderedNames[action.other]);
    if (action.space && &action == &body.facts(number).actions.front())
      text += " on " + std::string(isa::word(action.space).text);
  }
  return text;
}

std::string TimelineMaker::allocationText(uint32_t number, EventKind kind, const Action &action) {
  const std::string columns = amount(number, action) + " columns";
  return kind == EventKind::Allocate ? columns + ", their address to " +
                                           placeText(context.places.at(number, static_cast<uint32_t>(action.node)))
                                     : columns + " at " + operand(number, action.node);
}

std::string TimelineMaker::textOf(uint32_t number, Meaning meaning) {
  switch (meaning.kind) {
  case EventKind::Operation: return operationText(number);
  case EventKind::Commit: return groupsText(meaning.action->groups);
  case EventKind::Wait: return waitText(number, *meaning.action);
  case EventKind::Init: return "count " + amount(number, *meaning.action);
  case EventKind::Expect:
  case EventKind::Complete: return amount(number, *meaning.action) + " bytes";
  case EventKind::Await: {
    if (meaning.action->which < 0)
      return "";
    const auto parity = context.places.numberAt(number, meaning.action->which);
    return "phase " + (parity ? std::to_string(*parity) : operand(number, meaning.action->which));
  }
  case EventKind::Barrier: return barrierText(number, *meaning.action);
  case EventKind::Fence: return fenceText(number);
  case EventKind::Allocate:
  case EventKind::Free: return allocationText(number, meaning.kind, *meaning.action);
  case EventKind::Call: return "a function that may wait for everything";
  default: return "";
  }
}

// ---- barrier objects
void TimelineMaker::findBarrierBases() {
  for (const uint32_t number : context.events)
    for (const Action &action : body.facts(number).actions)
      if (action.kind == FactKind::Inits && action.node >= 0) {
        const MemoryPlace place = context.places.at(number, static_cast<uint32_t>(action.node), 8);
        if (place.base != LocalId::None && place.root == LocalId::None)
          barrierBases.insert(place.base);
      }
}

/// A place that is computed from the register that barriers are initialised from: which of them is to be seen only when
/// the kernel runs.
MemoryPlace TimelineMaker::throughRing(MemoryPlace place, unsigned depth) {
  constexpr unsigned mostSteps = 4;
  if (place.root != LocalId::None || place.base == LocalId::None || barrierBases.contains(place.base) ||
      depth == mostSteps)
    return place;
  const uint32_t writer = context.analyses.definitions().only(place.base);
  if (writer == Definitions::none || !body.facts(writer).computation.isKnown)
    return place;
  for (const auto &[node, operand] : llvm::enumerate(body.ast->operandsOf(body.instruction(writer).operands))) {
    if (node == 0 || operand.kind != OperandKind::Name)
      continue;
    const MemoryPlace source = context.places.at(writer, static_cast<uint32_t>(node), 8);
    MemoryPlace found = source.base == place.base ? source : throughRing(source, depth + 1);
    if (found.base == LocalId::None || !barrierBases.contains(found.base))
      continue;
    found.offset += place.offset;
    found.isRing = true;
    return found;
  }
  return place;
}

int TimelineMaker::barrierOf(uint32_t number, const Action &action) {
  if (action.node < 0)
    return -1;
  MemoryPlace place = context.places.at(number, static_cast<uint32_t>(action.node), 8);
  const bool isRemote = std::exchange(place.isRemote, false);
  // The same object in another block of the cluster is the same by what it is for.
  const uint32_t writer =
      place.base == LocalId::None ? Definitions::none : context.analyses.definitions().only(place.base);
  if (writer != Definitions::none && body.facts(writer).computation.isKnown &&
      body.facts(writer).computation.operation == isa::Operation::Mapa) {
    const int64_t offset = place.offset;
    place = context.places.at(writer, 1, 8);
    place.offset += offset;
    place.isRemote = false;
  }
  place = throughRing(place, 0);
  const std::string text = placeText(place);
  if (text.empty())
    return -1;
  const auto [entry, isNew] = barriers.try_emplace(text, static_cast<uint32_t>(made.barriers.size()));
  if (isNew) {
    made.barriers.emplace_back().place = text;
    made.barriers.back().isRing = place.isRing;
    place.isRemote = isRemote;
    barrierPlaces.push_back(place);
  }
  return static_cast<int>(entry->second);
}

static void setOnce(std::string &known, const std::string &text, bool isFirst) {
  known = isFirst || known == text ? text : "";
}

void TimelineMaker::use(TimelineBarrier &barrier, uint32_t number, EventKind kind, const Action &action) {
  switch (kind) {
  case EventKind::Init:
    setOnce(barrier.count, amount(number, action), barrier.inits.empty());
    barrier.inits.push_back(line(number));
    ++barrier.objects;
    break;
  case EventKind::Expect:
    setOnce(barrier.expected, amount(number, action), barrier.expects.empty());
    barrier.expects.push_back(line(number));
    break;
  case EventKind::Operation:
  case EventKind::Complete:
  case EventKind::Arrive: barrier.signals.push_back(line(number)); break;
  case EventKind::Await: barrier.waits.push_back(line(number)); break;
  default: break;
  }
}

static auto linesOf(TimelineBarrier &barrier) {
  return std::array{&barrier.inits, &barrier.expects, &barrier.signals, &barrier.waits};
}

int64_t TimelineMaker::offsetOf(size_t barrier) const {
  const MemoryPlace &place = barrierPlaces[barrier];
  return place.offset + (place.slots.empty() ? 0 : place.slots.front());
}

/// The object next in the ring, of which nothing but the initialisation is written with its own address.
bool TimelineMaker::isNextOf(size_t ring, size_t barrier) {
  const TimelineBarrier &whole = made.barriers[ring], &one = made.barriers[barrier];
  const bool isFirst = offsetOf(ring) == offsetOf(barrier);
  const bool isUsed = !one.expects.empty() || !one.signals.empty() || !one.waits.empty();
  const bool hasOtherCount = !one.inits.empty() && !whole.inits.empty() && whole.count != one.count;
  constexpr int64_t mostBytes = 16; // of an object and one of another ring beside it
  return !hasOtherCount && offsetOf(barrier) <= offsetOf(ring) + mostBytes * static_cast<int64_t>(whole.objects) &&
         (isFirst || (!isUsed && !one.inits.empty()));
}

void TimelineMaker::addToRing(size_t ring, size_t barrier) {
  TimelineBarrier &whole = made.barriers[ring], &one = made.barriers[barrier];
  if (!one.inits.empty()) {
    ++whole.objects;
    whole.count = one.count;
  }
  for (auto [to, from] : llvm::zip(linesOf(whole), linesOf(one)))
    to->insert(to->end(), from->begin(), from->end());
  if (whole.expected.empty())
    whole.expected = one.expected;
}

/// A ring is used at a place that a register says; its objects are initialised one by one, one after the other. By
/// barrier: the ring that it is of, or itself.
std::vector<size_t> TimelineMaker::rings() {
  const auto numbers = llvm::seq<size_t>(0, made.barriers.size());
  std::vector<size_t> ringOf(numbers.begin(), numbers.end()), order = ringOf;
  llvm::stable_sort(order, [&](size_t a, size_t b) {
    return std::pair(offsetOf(a), !made.barriers[a].isRing) < std::pair(offsetOf(b), !made.barriers[b].isRing);
  });
  llvm::DenseMap<LocalId, size_t> open; // by what they are addressed from
  for (const size_t one : order) {
    const MemoryPlace &place = barrierPlaces[one];
    const LocalId root = place.root == LocalId::None ? place.base : place.root;
    if (!place.isVariable && place.root != LocalId::None && place.slots.size() != 1)
      continue;
    if (made.barriers[one].isRing) {
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

/// One for each ring, in the order of their first lines.
void TimelineMaker::foldRings() {
  const std::vector<size_t> ringOf = rings();
  std::vector<std::pair<uint32_t, size_t>> order;
  for (const auto &[number, barrier] : llvm::enumerate(made.barriers)) {
    uint32_t first = ~0u;
    for (Lines *lines : linesOf(barrier)) {
      llvm::sort(*lines);
      first = lines->empty() ? first : std::min(first, lines->front());
    }
    if (ringOf[number] == number)
      order.push_back({first, number});
  }
  llvm::sort(order);
  std::vector<int> numbers(made.barriers.size());
  std::vector<TimelineBarrier> kept;
  for (const auto &[line, number] : order) {
    numbers[number] = static_cast<int>(kept.size());
    kept.push_back(std::move(made.barriers[number]));
  }
  made.barriers = std::move(kept);
  for (TimelineEvent &event : made.events)
    if (event.barrier >= 0)
      event.barrier = numbers[ringOf[static_cast<size_t>(event.barrier)]];
}

// ---- sections
template <typename See> void TimelineMaker::eachLoopAround(BlockId block, See see) const {
  const Loops &loops = context.analyses.loops();
  BlockId header = loops.header[indexOf(block)];
  for (unsigned count = 0; header != BlockId::None && count < mostNests; ++count) {
    see(header);
    header = loops.outer[indexOf(header)];
  }
}

void TimelineMaker::findLoops() {
  for (const BlockId block : graph.order)
    eachLoopAround(block, [&](BlockId header) {
      auto &[last, onlyWaits] = loopOf.try_emplace(indexOf(header), graph[block].last(), true).first->second;
      last = std::max(last, graph[block].last());
    });
  for (const uint32_t number : context.events) {
    const std::optional<Meaning> meaning = meaningOf(number);
    const BlockId block = graph.blockOf(number);
    if (meaning && graph.isReached(block) && !(meaning->kind == EventKind::Await && meaning->action->node >= 0))
      eachLoopAround(block, [&](BlockId header) { loopOf[indexOf(header)].second = false; });
  }
}

/// The successor of the one block by which all control comes to the other.
std::optional<unsigned> TimelineMaker::wayTo(BlockId from, BlockId block) const {
  const DominatorTree &before = context.analyses.dominators();
  const llvm::ArrayRef<BlockId> ways = graph.successors.of(from);
  for (const auto &[way, next] : llvm::enumerate(ways))
    if (next != from && before.dominates(next, block) && llvm::count(ways, next) == 1 &&
        llvm::all_of(graph.predecessors.of(next), [&, next = next](BlockId other) {
          return other == from || !graph.isReached(other) || before.dominates(next, other);
        }))
      return static_cast<unsigned>(way);
  return std::nullopt;
}

bool TimelineMaker::isRole(BlockId above) {
  const uint32_t last = graph[above].last();
  if (body.guard(last) != LocalId::None)
    return conditions.dependsOnThread(body.guard(last));
  return llvm::any_of(body.namesOf(last), [&](LocalId one) { return conditions.dependsOnThread(one); });
}

std::string TimelineMaker::conditionOf(BlockId above, unsigned way) {
  const uint32_t last = graph[above].last();
  if (body.guard(last) == LocalId::None)
    return "case " + std::to_string(way) + " of " + operand(last, 0) + ", line " + std::to_string(line(last));
  const bool isTaken = !(graph[above].goesOn && way == 0);
  return conditions.text(body.guard(last), isTaken != body.instruction(last).guardNot);
}

int TimelineMaker::nest(TimelineSection::Kind kind, int parent, BlockId block, unsigned way) {
  const unsigned depth = parent < 0 ? 0 : nests[static_cast<size_t>(parent)].depth + 1;
  if (depth >= mostNests)
    return parent;
  const auto [entry, isNew] = known.try_emplace({parent, indexOf(block), kind == TimelineSection::Loop ? ~0u : way},
                                                static_cast<int>(nests.size()));
  if (isNew)
    nests.push_back({kind, parent, -1, depth, block, way});
  return entry->second;
}

bool TimelineMaker::isStillIn(int nest, BlockId block) const {
  const Nest &one = nests[static_cast<size_t>(nest)];
  if (one.kind == TimelineSection::Role) {
    const DominatorTree &after = context.analyses.postDominators();
    return !after.contains(block) || !after.contains(one.block) || !after.dominates(block, one.block);
  }
  bool isInside = false;
  eachLoopAround(block, [&](BlockId header) { isInside |= header == one.block; });
  return isInside;
}

/// From each block to those that it dominates.
void TimelineMaker::findNests() {
  const DominatorTree &before = context.analyses.dominators();
  const Loops &loops = context.analyses.loops();
  nestOf.assign(graph.size(), -1);
  for (const BlockId block : graph.order) {
    const BlockId above = before.parent[indexOf(block)];
    int inner = -1;
    if (above != BlockId::None) {
      llvm::SmallVector<int, 16> around;
      for (int one = nestOf[indexOf(above)]; one >= 0; one = nests[static_cast<size_t>(one)].parent)
        around.push_back(one);
      for (const int one : llvm::reverse(around))
        if (isStillIn(one, block)) {
          const Nest same = nests[static_cast<size_t>(one)];
          inner = nest(same.kind, inner, same.block, same.way);
        }
      const std::optional<unsigned> way = graph.splits(above) && isRole(above) ? wayTo(above, block) : std::nullopt;
      if (way) {
        const int role = nest(TimelineSection::Role, inner, above, *way);
        inner = role == inner || isStillIn(role, block) ? role : inner;
      }
    }
    if (loops.header[indexOf(block)] == block && !loopOf[indexOf(block)].second)
      inner = nest(TimelineSection::Loop, inner, block, 0);
    nestOf[indexOf(block)] = inner;
  }
}

int TimelineMaker::sectionOfNest(int number) {
  if (number < 0 || nests[static_cast<size_t>(number)].section >= 0)
    return number < 0 ? -1 : nests[static_cast<size_t>(number)].section;
  const Nest one = nests[static_cast<size_t>(number)];
  TimelineSection section = {one.kind, sectionOfNest(one.parent), 0, 0, ""};
  if (one.kind == TimelineSection::Loop) {
    section.firstLine = line(graph[one.block].first);
    section.lastLine = line(loopOf[indexOf(one.block)].first);
  } else {
    section.firstLine = line(graph[one.block].last());
    section.condition = conditionOf(one.block, one.way);
  }
  made.sections.push_back(std::move(section));
  return nests[static_cast<size_t>(number)].section = static_cast<int>(made.sections.size()) - 1;
}

// ---- all of it
void TimelineMaker::add(uint32_t number, Meaning meaning) {
  TimelineEvent event;
  event.kind = meaning.kind;
  event.line = line(number);
  event.section = sectionOf(graph.blockOf(number));
  event.name = mnemonic(number).str();
  event.text = textOf(number, meaning);
  if (body.guard(number) != LocalId::None)
    event.condition = conditions.text(body.guard(number), !body.instruction(number).guardNot);
  if (meaning.action && meaning.kind != EventKind::Wait && meaning.kind != EventKind::Commit &&
      meaning.kind != EventKind::Allocate && meaning.kind != EventKind::Free)
    for (const Action &action : body.facts(number).actions) {
      const bool isSame = action.kind == meaning.action->kind;
      event.arrives |= !isSame && action.kind == FactKind::Arrives && action.node >= 0;
      const int barrier = isSame ? barrierOf(number, action) : -1;
      if (barrier < 0)
        continue;
      event.barrier = barrier;
      use(made.barriers[static_cast<size_t>(barrier)], number, meaning.kind, action);
    }
  eventOf[number] = static_cast<uint32_t>(made.events.size());
  made.events.push_back(std::move(event));
}

/// What each instruction changes of the operations in flight.
void TimelineMaker::follow() {
  const Solution solution(graph, flight);
  made.isComplete = solution.isComplete();
  solution.replay([&](uint32_t number, const InFlight::State &before) {
    const auto place = eventOf.find(number);
    if (place == eventOf.end())
      return;
    TimelineEvent &event = made.events[place->second];
    InFlight::State after = before;
    flight.step(after, number);
    uint16_t waited = 0;
    for (const Action &action : body.facts(number).actions)
      waited |= action.kind == FactKind::Waits ? action.groups : 0;
    for (const auto &[i, operation] : llvm::enumerate(flight.operations())) {
      if (operation.number == number || !flight.isPending(before, i))
        continue;
      const uint8_t was = flight.level(before, i), is = flight.level(after, i);
      if (!flight.isPending(after, i))
        event.ends.push_back(line(operation.number));
      else if (operation.groups & waited)
        event.keeps.push_back(line(operation.number));
      else if ((event.kind == EventKind::Commit && was == InFlight::Uncommitted && is != was) ||
               (event.kind == EventKind::Arrive && is == InFlight::Counted && is != was))
        event.takes.push_back(line(operation.number));
    }
  });
}

void TimelineMaker::addHazards() {
  for (const Diagnostic &diagnostic : context.sink.diagnostics()) {
    TimelineEvent event;
    event.kind = EventKind::Hazard;
    event.line = source.lineColumn(diagnostic.range.begin).line;
    event.name = diagnostic.ruleText();
    event.text = diagnostic.message();
    for (const Note &note : diagnostic.notes)
      if (note.range)
        event.text += "; line " + std::to_string(source.lineColumn(note.range->begin).line) + ": " +
                      std::string(llvm::StringRef(note.message));
    uint32_t low = 0, high = body.size();
    while (high - low > 1) {
      const uint32_t middle = (low + high) / 2;
      (body.instruction(middle).range.begin <= diagnostic.range.begin ? low : high) = middle;
    }
    if (graph.isReached(graph.blockOf(low)))
      event.section = sectionOf(graph.blockOf(low));
    made.events.push_back(std::move(event));
  }
  llvm::stable_sort(made.events, [](const TimelineEvent &a, const TimelineEvent &b) { return a.line < b.line; });
}

Timeline TimelineMaker::make() {
  made.function = body.ast->text(body.function->name).str();
  made.isEntry = body.function->kind == FunctionKind::Entry;
  made.firstLine = line(0);
  made.lastLine = line(body.size() - 1);
  findLoops();
  findNests();
  findBarrierBases();
  for (const uint32_t number : context.events) {
    const std::optional<Meaning> meaning = meaningOf(number);
    if (meaning && graph.isReached(graph.blockOf(number)) && made.events.size() < mostEvents)
      add(number, *meaning);
  }
  follow();
  foldRings();
  addHazards();
  return std::move(made);
}

std::optional<Timeline> timelineOf(const Body &body, Analyses &analyses, const SourceBuffer &source) {
  DiagnosticSink sink;
  std::optional<HazardContext> context = hazardContext(body, sink, analyses);
  if (!context)
    return std::nullopt;
  checkHazards(*context);
  return TimelineMaker(*context, source).make();
}

} // namespace ptxray
