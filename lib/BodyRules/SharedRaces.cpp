// shared-memory-race: two threads access the same bytes of shared memory, one of them writes, and there is no barrier
// between them. The rule simulates one execution of the block, so each reported race happens in it. If the head of the
// kernel does not determine the number of threads in a block, it simulates one warp.
#include "BodyRules/BodyRules.h"
#include "Flow/BlockShape.h"
#include "Flow/BlockWalk.h"
#include "Flow/Values.h"
#include "Isa/Isa.h"
#include "Isa/Words.h"
#include "Match/Opcode.h"
#include "llvm/ADT/DenseMap.h"

namespace ptxray {
namespace {

/// An access of one thread.
struct OneAccess {
  uint32_t event = ~0u; // event of the walk; ~0u for none
  uint32_t thread = 0, warpPhase = 0;

  bool exists() const { return event != ~0u; }
  uint32_t warp() const { return thread / warpSize; }
};

/// The last accesses to a few bytes since the last barrier.
struct Cell {
  OneAccess write, read, otherRead; // reads by two warps
};

/// The maximum number of accesses to cells that are checked in one kernel. The rule ignores later ones.
constexpr uint32_t mostCells = 2'048;

/// Returns whether the lanes of a warp execute each instruction together, as before Volta.
bool areLanesInStep(const BodyContext &context) {
  constexpr uint16_t volta = 70;
  const uint16_t target = context.module.availabilityOfCode.module().target;
  return target < isa::tables().targets.size() && isa::tables().targets[target].number < volta;
}

class SharedRaces {
public:
  SharedRaces(const Body &body, const BodyContext &context, Analyses &analyses)
      : body(body), context(context), analyses(analyses), areLanesInStep(ptxray::areLanesInStep(context)) {}
  void check();

private:
  const Access &accessOf(const WalkEvent &event) const { return body.facts(event.instruction).accesses[event.access]; }
  bool isVolatile(const WalkEvent &event) const;
  bool isTogether(const WalkEvent &event) const { return body.facts(event.instruction).has(FactKind::Converged); }
  bool conflict(const OneAccess &before, const OneAccess &now) const;
  void visit(uint32_t index);
  bool visitCell(Cell &cell, const OneAccess &now);
  void visitSomewhere(uint32_t index);
  void findUnit();
  void report(uint32_t before, uint32_t now);

  const Body &body;
  const BodyContext &context;
  Analyses &analyses;
  Walk walk;
  unsigned unit = 4; // size of a cell in bytes
  const bool areLanesInStep;
  bool isOfWarp = false; // the size of the block is not known
  bool isOver = false;   // a race was reported, or `cellsLeft` is 0
  uint32_t cellsLeft = mostCells;
  std::array<uint32_t, mostBlockThreads / warpSize> warpPhases{};
  llvm::DenseMap<std::pair<uint32_t, uint64_t>, Cell> cells; // keyed by the base of the address, and the address
};

} // namespace

bool SharedRaces::isVolatile(const WalkEvent &event) const {
  return body.verdicts[event.instruction]->opcode->has(isa::words::volatile_);
}

/// Returns whether the two accesses are unordered. Any instruction that the threads of a warp execute together orders
/// them. Words that all threads access in the same way with strong accesses are treated as flags.
bool SharedRaces::conflict(const OneAccess &before, const OneAccess &now) const {
  if (!before.exists() || before.thread == now.thread)
    return false;
  const WalkEvent &a = walk.events[before.event], &b = walk.events[now.event];
  if (a.instruction == b.instruction)
    return false;
  const bool isSameWarp = before.warp() == now.warp();
  const auto isStrong = [&](const WalkEvent &event) { return body.facts(event.instruction).has(FactKind::Strong); };
  if (isStrong(a) || isStrong(b))
    if (!isSameWarp || !isVolatile(a) || !isVolatile(b) || !a.address.table || !b.address.table)
      return false;
  if (!isSameWarp)
    return true;
  return !areLanesInStep && !isTogether(a) && !isTogether(b) && before.warpPhase == now.warpPhase;
}

void SharedRaces::report(uint32_t before, uint32_t now) {
  const Instruction &first = body.instruction(walk.events[before].instruction);
  const Instruction &second = body.instruction(walk.events[now].instruction);
  isOver = true;
  context.sink
      .report(DiagId::SharedMemoryRace, second.range, body.ast->text(second.opcode), body.ast->text(first.opcode))
      .notes.push_back({"the other access", first.range});
}

/// Records an access to a cell. Returns whether it races.
bool SharedRaces::visitCell(Cell &cell, const OneAccess &now) {
  const Access &access = accessOf(walk.events[now.event]);
  if (access.reads() && conflict(cell.write, now) && accessOf(walk.events[cell.write.event]).kind != access.kind) {
    report(cell.write.event, now.event);
    return true;
  }
  if (access.kind == isa::Access::Writes)
    for (const OneAccess &read : {cell.read, cell.otherRead})
      if (conflict(read, now)) {
        report(read.event, now.event);
        return true;
      }
  if (access.writes())
    cell.write = now;
  if (access.kind != isa::Access::Reads)
    return false;
  if (cell.read.exists() && cell.read.warp() != now.warp())
    cell.otherRead = now;
  else
    cell.read = now;
  return false;
}

/// Returns the number of lanes that provide a row address when lanes load or store matrices together.
static unsigned lanesWithRows(const Body &body, uint32_t number) {
  return static_cast<unsigned>(std::min<size_t>(8 * (body.namesOf(number).size() - 1), warpSize));
}

void SharedRaces::visit(uint32_t index) {
  const WalkEvent &event = walk.events[index];
  const Access &access = accessOf(event);
  constexpr uint32_t mostBytes = 32;
  if (event.address.relativeTo == ThreadNumbers::assumed || !access.bytes || access.bytes > mostBytes ||
      access.isLeast || (isOfWarp && !event.address.table))
    return;
  const unsigned lanes = isTogether(event) ? lanesWithRows(body, event.instruction) : warpSize;
  for (uint32_t thread = 0; thread < mostBlockThreads; ++thread) {
    if (!event.threads[thread] || thread % warpSize >= lanes)
      continue;
    const OneAccess now = {index, thread, warpPhases[thread / warpSize]};
    const uint64_t first = event.address.of(thread) / unit;
    const uint64_t last = (event.address.of(thread) + access.bytes - 1) / unit;
    for (uint64_t cell = first; cell <= last; ++cell) {
      isOver |= cellsLeft-- == 0;
      if (isOver || visitCell(cells[{event.address.relativeTo, cell}], now))
        return;
    }
  }
}

/// Records an atomic operation on a location that depends on data, in memory where other warps have written each
/// element.
void SharedRaces::visitSomewhere(uint32_t index) {
  const WalkEvent &event = walk.events[index];
  if (accessOf(event).kind != isa::Access::Updates)
    return;
  const Source source = sourceAt(body, event.instruction, accessOf(event).node);
  const RegisterValue value = analyses.values().of(source.local);
  if (value.isOfThread || !value.numbers.isBounded || value.numbers.base != event.somewhereIn)
    return;
  const int64_t low = value.numbers.low + source.offset(), high = value.numbers.high + source.offset();
  constexpr unsigned apart = 20;
  const uint64_t base = static_cast<uint64_t>(event.somewhereIn) << apart;
  std::optional<uint32_t> writer, other;
  for (const auto &[key, cell] : cells) {
    const auto at = static_cast<int64_t>(key.second * unit - base);
    if (!cell.write.exists() || at < low || at > high ||
        walk.events[cell.write.event].somewhereIn != event.somewhereIn ||
        accessOf(walk.events[cell.write.event]).kind != isa::Access::Writes)
      continue;
    if (!writer)
      writer = cell.write.event;
    else if (walk.events[*writer].instruction == walk.events[cell.write.event].instruction)
      other = cell.write.event;
  }
  const auto isOfWarps = [&] {
    const ThreadMask &threads = walk.events[*writer].threads;
    return (threads >> warpSize).any() && walk.events[*writer].address.table;
  };
  if (writer && other && isOfWarps())
    report(*writer, index);
}

/// Sets the size of cells to that of the smallest access.
void SharedRaces::findUnit() {
  for (const WalkEvent &event : walk.events)
    if (event.kind == WalkEvent::Access && accessOf(event).bytes)
      unit = std::min(unit, accessOf(event).bytes & 1 ? 1u : accessOf(event).bytes & 2 ? 2u : 4u);
}

void SharedRaces::check() {
  std::optional<std::array<uint64_t, 3>> block = likelyBlock(body);
  isOfWarp = !block && !areLanesInStep && hasOneDimension(body);
  if (isOfWarp)
    block = {warpSize, 1, 1};
  const uint64_t threads = block ? (*block)[0] * (*block)[1] * (*block)[2] : 0;
  if (threads < 2 || threads > mostBlockThreads)
    return;
  // A race between the first warps exists regardless of the other warps.
  constexpr uint64_t large = 1 << 20, mostFollowed = 128;
  walk = walkThreads(body, analyses, *block,
                     {0, static_cast<uint32_t>(std::min(threads, mostFollowed)), large, /*isWholeBlock=*/true,
                      /*isSizeKnown=*/!isOfWarp});
  findUnit();
  for (uint32_t index = 0; index < walk.events.size() && !isOver; ++index) {
    const WalkEvent &event = walk.events[index];
    if (event.kind == WalkEvent::Barrier)
      cells.clear();
    else if (event.kind == WalkEvent::WarpBarrier)
      for (uint32_t thread = 0; thread < threads; thread += warpSize)
        warpPhases[thread / warpSize] += ((event.threads >> thread) & ThreadMask(~uint32_t(0))).any();
    else if (event.kind == WalkEvent::Access && event.address.isKnown)
      visit(index);
    else if (event.kind == WalkEvent::Access && !isOfWarp)
      visitSomewhere(index);
  }
}

namespace {

/// The kinds of access to shared memory since the last barrier of the block, on some path.
struct Touched {
  bool isWritten = false, isRead = false;
  bool operator==(const Touched &) const = default;
};

} // namespace

/// Returns whether the instruction orders accesses of the simulated threads.
static bool separates(const Facts &facts, bool isOfWarp) {
  if (isOfWarp && (facts.has(FactKind::Converged) || facts.has(FactKind::Among)))
    return true;
  return facts.find(FactKind::Syncs, [&](const Action &action) {
    return action.node < 0 && (isOfWarp || action.scope() == isa::Scope::Cta);
  });
}

/// Analyses a block. Returns whether a read may conflict with a write, with no barrier between them.
static bool meet(const Body &body, const Block &block, bool isOfWarp, Touched &touched) {
  for (uint32_t number = block.first; number < block.end; ++number) {
    const Facts &facts = body.facts(number);
    for (const Access &access : facts.accesses) {
      if (access.isDescribed || !(access.isGeneric || isa::wholeSpace(access.space) == isa::words::shared))
        continue;
      if ((access.reads() && touched.isWritten) || (access.writes() && touched.isRead))
        return true;
      touched.isWritten |= access.writes();
      touched.isRead |= access.reads();
    }
    if (separates(facts, isOfWarp))
      touched = {};
  }
  return false;
}

/// Returns whether a path leads from an access to shared memory to a conflicting one without a barrier. Most kernels
/// have no such path, and need no simulation.
static bool mayConflict(const Body &body, const Graph &graph, bool isOfWarp) {
  std::vector<Touched> before(graph.size());
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    for (const BlockId block : graph.order) {
      Touched touched = before[indexOf(block)];
      if (meet(body, graph[block], isOfWarp, touched))
        return true;
      for (const BlockId next : graph.successors.of(block)) {
        const Touched known = before[indexOf(next)];
        Touched &joined = before[indexOf(next)];
        joined = {known.isWritten || touched.isWritten, known.isRead || touched.isRead};
        isChanged |= joined != known;
      }
    }
  }
  return false;
}

void checkSharedRaces(const Body &body, const BodyContext &context, Analyses &analyses) {
  bool writes = false, reads = false;
  for (const uint32_t number : body.accessing)
    for (const Access &access : body.facts(number).accesses)
      if (!access.isDescribed && isa::wholeSpace(access.space) == isa::words::shared) {
        writes |= access.writes();
        reads |= access.reads();
      }
  if (writes && reads && body.function->kind == FunctionKind::Entry &&
      mayConflict(body, analyses.graph(), !blockShapeOf(body).isKnown))
    SharedRaces(body, context, analyses).check();
}

} // namespace ptxray
