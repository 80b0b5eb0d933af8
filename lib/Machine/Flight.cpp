#include "Machine/Flight.h"
#include "Isa/Isa.h"
#include "Machine/BarrierObject.h"
#include "Machine/Grid.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cstring>

namespace ptxray::machine {

std::shared_ptr<Agents> agentsOf(uint32_t warps) {
  auto agents = std::make_shared<Agents>();
  agents->warps = warps;
  agents->engines = static_cast<uint32_t>(isa::tables().groups.size()) + 1;
  agents->flights = std::make_shared<Flights>();
  return agents;
}

static Engine &engineAt(Warp &warp, unsigned engine) {
  if (warp.engines.size() <= engine)
    warp.engines.resize(engine + 1);
  return warp.engines[engine];
}

/// Returns the agent for operations that a warp or its warpgroup starts.
uint32_t agentOf(const Warp &warp, unsigned engine, bool isOfWarpgroup) {
  constexpr uint32_t warpsOfGroup = 4;
  const uint32_t own = agentOf(warp), first = isOfWarpgroup ? own - warp.number % warpsOfGroup : own;
  return warp.block->agents->engine(first, engine);
}

// ---- operations in flight

/// Makes the registers that the operation has written visible, and passes them to a later operation that uses them.
static void handOver(const Pending &one, const StartedOperation &start, Flights &flights) {
  const auto isAlive = [&](const Frame &frame) { return &frame == one.frame; };
  for (const Place &place : start.results) {
    const auto holds = [&](const Pending &later) {
      if (later.frame != one.frame || later.isArrival)
        return false;
      const auto &results = static_cast<const StartedOperation *>(later.op->more)->results;
      return llvm::any_of(results, [&](const Place &other) { return other.slot == place.slot; });
    };
    const auto later = llvm::find_if(flights.pending, holds);
    if (later == flights.pending.end() && llvm::none_of(one.warp->frames, isAlive))
      continue;
    char *to = later == flights.pending.end() ? one.frame->registers : later->copy->registers;
    const size_t bytes = place.bits / 8;
    for (uint32_t left = one.mask; left; left &= left - 1) {
      const size_t at = place.slot + static_cast<size_t>(__builtin_ctz(left)) * bytes;
      std::memcpy(to + at, one.copy->registers + at, bytes);
    }
  }
}

static void runAll(const std::vector<Op> &ops, char *registers, uint32_t mask, Warp &warp) {
  for (const Op &op : ops)
    execute(registers, op, mask, warp);
}

static void end(Pending one, Flights &flights) {
  Warp &warp = *one.warp;
  observersOf(warp).notify(events::Operations,
                           [&](Observer &observer) { observer.ends(warp, one.copy->code, *one.op, one.id); });
  const Fragment now = std::exchange(warp.now, {0, one.mask, -1, one.copy.get()});
  const Doer doer = std::exchange(warp.doer, {0, 0, false, false, Stage::End});
  if (one.isArrival) {
    Op arrival = *one.op;
    arrival.more = &static_cast<const ArrivalAfter *>(one.op->more)->use;
    useBarrier(one.copy->registers, arrival, one.mask, warp);
  } else {
    const auto &start = *static_cast<const StartedOperation *>(one.op->more);
    runAll(start.ops, one.copy->registers, one.mask, warp);
    handOver(one, start, flights);
  }
  warp.doer = doer;
  warp.now = now;
  takeFault(warp);
}

/// Completes the warp's operations in the engine, up to a number.
static void endUpTo(Flights &flights, const Warp &warp, int engine, uint32_t number) {
  for (auto at = flights.pending.begin(); at != flights.pending.end();) {
    const auto one = at++;
    if (one->warp != &warp || one->engine != engine || one->number > number || one->isArrival)
      continue;
    Pending taken = std::move(*one);
    flights.pending.erase(one);
    end(std::move(taken), flights);
  }
}

/// Completes the warp's earlier arrivals through the tensor core. A later arrival implies all earlier ones.
static void endArrivalsBefore(Flights &flights, std::list<Pending>::iterator which) {
  for (auto at = flights.pending.begin(); at != which;) {
    const auto one = at++;
    if (!one->isArrival || one->warp != which->warp || one->engine != which->engine)
      continue;
    Pending taken = std::move(*one);
    flights.pending.erase(one);
    end(std::move(taken), flights);
  }
}

/// Completes one operation, after those that always precede it.
static void endOne(Flights &flights, std::list<Pending>::iterator which) {
  if (which->isArrival || which->isOrdered)
    endUpTo(flights, *which->warp, which->engine, which->isArrival ? which->number : which->number - 1);
  if (which->isArrival && isPipelineEngine(static_cast<unsigned>(which->engine)))
    endArrivalsBefore(flights, which);
  Pending taken = std::move(*which);
  flights.pending.erase(which);
  end(std::move(taken), flights);
}

static void endAll(Flights &flights) {
  while (!flights.pending.empty())
    endOne(flights, flights.pending.begin());
}

bool endOperations(BlockState &block, bool isStuck) {
  constexpr uint64_t mostTurns = 4096; // bounds the time in flight while threads poll something that never changes
  Flights &flights = *block.agents->flights;
  ++flights.turn;
  if (flights.pending.empty())
    return false;
  if (llvm::all_of(block.cluster, [](const BlockState *one) { return one->isDone(); }))
    endAll(flights);
  bool hasEnded = false;
  const auto isDue = [&](const Pending &one) {
    return one.due <= flights.turn || one.begun + mostTurns < flights.turn;
  };
  for (auto due = llvm::find_if(flights.pending, isDue); due != flights.pending.end();
       due = llvm::find_if(flights.pending, isDue)) {
    endOne(flights, due);
    hasEnded = true;
  }
  if (hasEnded || !isStuck || flights.pending.empty())
    return hasEnded;
  const auto isWanted = [&](const Pending &one) {
    return llvm::any_of(block.cluster, [&](const BlockState *other) {
      return llvm::any_of(other->warps, [&](const Warp &warp) {
        return warp.waitsInVain && !warp.isDone() && warp.waitsInVain->offset == one.object;
      });
    });
  };
  std::vector<std::list<Pending>::iterator> wanted;
  for (auto one = flights.pending.begin(); one != flights.pending.end(); ++one)
    if (isWanted(*one))
      wanted.push_back(one);
  endOne(flights, wanted.empty() ? flights.pending.begin()
                                 : wanted[block.grid->timing.choose(static_cast<uint32_t>(wanted.size()))]);
  return true;
}

// ---- starts

void setCounted(Warp &warp, BlockState &block, uint64_t offset) {
  if (!observersOf(warp).want(events::Order) || offset + 8 > block.shared.size())
    return;
  const ObjectHistory &object = block.agents->object(placeOf(block.shared.data() + offset));
  warp.doer.agent = object.agent;
  warp.doer.clock = object.phases + 1;
}

static uint8_t *objectAt(const AddressOf &object, const char *registers, unsigned lane, Warp &warp) {
  const uint64_t address = addressIn(registers, object, lane);
  const bool isShort = object.space == Space::Generic && address < windowBytes;
  const Lookup found = look(warp, isShort ? Space::Shared : object.space, address, 8, lane, true);
  return found.bytes;
}

/// Begins the operation, or performs it completely, depending on `stage`.
static void begin(const StartedOperation &start, char *registers, uint32_t mask, Warp &warp, Stage stage) {
  warp.doer = {0, 0, start.isAsyncProxy, start.isOrdered, stage};
  if (start.engine >= 0) {
    const auto engine = static_cast<unsigned>(start.engine);
    warp.doer.agent = agentOf(warp, engine, start.isOfWarpgroup);
    warp.doer.clock = engineAt(warp, engine).started;
  }
  if (!start.isCounted)
    runAll(start.ops, registers, mask, warp);
  else
    for (uint32_t left = mask; left; left &= left - 1) {
      if (const uint8_t *object = objectAt(start.object, registers, static_cast<unsigned>(__builtin_ctz(left)), warp)) {
        const ObjectHistory &history = warp.block->agents->object(placeOf(object));
        warp.doer.agent = history.agent;
        warp.doer.clock = history.phases + 1;
        observersOf(warp).notify(events::Order, [&](Observer &one) { one.contributes(warp, *start.at, object); });
      }
      runAll(start.ops, registers, left & -left, warp);
    }
  warp.doer = {};
}

static std::unique_ptr<Frame> copyOf(const Frame &frame) {
  const std::vector<char> image(frame.registers, frame.registers + frame.code.file.bytes());
  return std::make_unique<Frame>(frame.code, frame.caller, frame.base, image);
}

static void poison(const StartedOperation &start, char *registers, uint32_t mask) {
  constexpr uint32_t pattern = 0x7ff77ff7; // NaN in all floating-point formats
  for (const Place &place : start.results)
    for (uint32_t left = mask; left && place.bits == 32; left &= left - 1)
      lanesOf<uint32_t>(registers, place.slot)[__builtin_ctz(left)] = pattern;
}

static uint64_t offsetAt(const AddressOf &object, const char *registers, unsigned lane) {
  return addressIn(registers, object, lane) & sharedOffsetMask;
}

/// Defers the operation, and saves the current values of its registers.
static Pending &suspend(Warp &warp, const Op &op, uint32_t mask) {
  Flights &flights = *warp.block->agents->flights;
  Pending &one = flights.pending.emplace_back();
  one.warp = &warp;
  one.frame = warp.now.frame;
  one.copy = copyOf(*warp.now.frame);
  one.op = &op;
  one.mask = mask;
  one.begun = flights.turn;
  one.id = flights.started++;
  observersOf(warp).notify(events::Operations, [&](Observer &observer) { observer.starts(warp, op, one.id); });
  return one;
}

void startOperation(char *registers, const Op &op, uint32_t mask, Warp &warp) {
  const auto &start = *static_cast<const StartedOperation *>(op.more);
  settleAll(warp);
  Timing &timing = warp.block->grid->timing;
  const Observers &observers = observersOf(warp);
  if (timing.isEager() && !observers.want(events::Order))
    return runAll(start.ops, registers, mask, warp);
  if (start.engine >= 0) {
    Engine &engine = engineAt(warp, static_cast<unsigned>(start.engine));
    ++engine.started;
    engine.vainWait = nullptr;
    if (!start.held.locals.empty())
      observers.notify(events::Order, [&](Observer &one) {
        one.holds(warp, op, start.held, static_cast<unsigned>(start.engine), mask);
      });
  }
  const bool isAtOnce = start.isAtOnce || (start.engine < 0 && !start.isCounted);
  const uint64_t delay = isAtOnce ? 0 : timing.delay(start.readsShared);
  const bool isOrdered = start.isOrdered || !start.results.empty();
  if (timing.isEager() || (!delay && !isOrdered))
    return begin(start, registers, mask, warp, Stage::Whole);
  begin(start, registers, mask, warp, Stage::Begin);
  if (warp.fault)
    return;
  Flights &flights = *warp.block->agents->flights;
  Pending &one = suspend(warp, op, mask);
  one.object =
      start.isCounted ? offsetAt(start.object, registers, static_cast<unsigned>(__builtin_ctz(mask))) : Timing::never;
  one.engine = start.engine;
  one.isOrdered = isOrdered;
  one.number = start.engine >= 0 ? warp.engines[static_cast<unsigned>(start.engine)].started : 0;
  one.due = delay == Timing::never ? delay : flights.turn + delay;
  poison(start, registers, mask);
  if (!delay)
    endUpTo(flights, warp, start.engine, one.number);
}

// ---- ends

void commitGroup(char *, const Op &op, uint32_t, Warp &warp) {
  constexpr size_t mostRemembered = 256;
  Engine &engine = engineAt(warp, static_cast<const GroupUse *>(op.more)->engine);
  engine.groups.push_back(engine.started);
  if (engine.groups.size() > mostRemembered)
    engine.groups.pop_front();
}

/// Returns how many operations of an engine are complete when the wait returns.
static uint32_t coveredBy(const GroupUse &use, const Engine &engine, const char *registers, unsigned lane) {
  if (!use.pending.bits)
    return engine.started;
  const uint64_t pending = numberIn(registers, use.pending, lane);
  return pending < engine.groups.size() ? engine.groups[engine.groups.size() - 1 - pending] : 0;
}

void awaitGroups(char *registers, const Op &op, uint32_t mask, Warp &warp) {
  const auto &use = *static_cast<const GroupUse *>(op.more);
  Engine &engine = engineAt(warp, use.engine);
  const uint32_t covered = coveredBy(use, engine, registers, static_cast<unsigned>(__builtin_ctz(mask)));
  endUpTo(*warp.block->agents->flights, warp, static_cast<int>(use.engine), covered);
  if (engine.started > engine.committed() && engine.started > covered)
    engine.vainWait = &warp.now.frame->code.instruction(op.instruction);
  observersOf(warp).notify(events::Order, [&](Observer &one) { one.completes(warp, op, use, covered, mask); });
}

/// Reports the objects at which the arrival takes place.
static void reportArrivalAfter(const ArrivalAfter &after, const char *registers, uint32_t mask, Warp &warp) {
  const Observers &observers = observersOf(warp);
  if (!observers.want(events::Order))
    return;
  llvm::SmallVector<const uint8_t *, 4> objects;
  for (uint32_t left = mask; left; left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(left));
    const uint64_t blocks = numberIn(registers, after.use.blocks, lane),
                   offset = offsetAt(after.object, registers, lane);
    if (const uint8_t *object = objectAt(after.object, registers, lane, warp))
      objects.push_back(object);
    for (BlockState *other : warp.block->cluster)
      if (other->rank < 64 && blocks >> other->rank & 1)
        objects.push_back(other->shared.data() + offset);
  }
  observers.notify(events::Order, [&](Observer &one) { one.arrivesAfter(warp, after, objects, mask); });
}

void arriveAfter(char *registers, const Op &op, uint32_t mask, Warp &warp) {
  const auto &after = *static_cast<const ArrivalAfter *>(op.more);
  reportArrivalAfter(after, registers, mask, warp);
  Flights &flights = *warp.block->agents->flights;
  const auto isBefore = [&](const Pending &one) {
    return one.warp == &warp && one.engine == static_cast<int>(after.engine) && !one.isArrival;
  };
  if (llvm::none_of(flights.pending, isBefore)) {
    Op arrival = op;
    arrival.more = &after.use;
    return after.isAdded ? void() : useBarrier(registers, arrival, mask, warp);
  }
  if (after.isAdded)
    for (uint32_t left = mask; left; left &= left - 1)
      if (uint8_t *object = objectAt(after.object, registers, static_cast<unsigned>(__builtin_ctz(left)), warp))
        addArrival(object);
  Pending &one = suspend(warp, op, mask);
  one.object = offsetAt(after.object, registers, static_cast<unsigned>(__builtin_ctz(mask)));
  one.engine = static_cast<int>(after.engine);
  one.number = engineAt(warp, after.engine).started;
  one.due = Timing::never;
  one.isArrival = true;
}

} // namespace ptxray::machine
