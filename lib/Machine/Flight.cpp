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

static uint64_t placeOf(const uint8_t *object) { return reinterpret_cast<uintptr_t>(object); }
/// Names the clock of arrivals in phases that are complete; that of `placeOf` has the present phase as well.
static uint64_t completeOf(const uint8_t *object) { return placeOf(object) | 1; }

static Engine &engineAt(Warp &warp, unsigned engine) {
  if (warp.engines.size() <= engine)
    warp.engines.resize(engine + 1);
  return warp.engines[engine];
}

/// The agent of what a warp, or its group of warps, starts.
static uint32_t agentOf(const Warp &warp, unsigned engine, bool isOfWarpgroup) {
  constexpr uint32_t warpsOfGroup = 4;
  const uint32_t first = isOfWarpgroup ? warp.agent - warp.number % warpsOfGroup : warp.agent;
  return warp.block->agents->engine(first, engine);
}

// ---- operations in flight

/// Registers that the operation has written become visible, or what a later one begins with.
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
  observersOf(warp).notify(events::Order,
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

/// Ends what the warp started there, up to a number.
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

/// Ends the arrivals that the warp asked the tensor core for before this one: the later one waits for all before it.
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

/// Ends one operation, after those that come before it in any case.
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
  constexpr uint64_t mostTurns = 4096; // in flight, while threads ask for what no machine knows
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
  if (warp.clock.empty() || offset + 8 > block.shared.size())
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

/// The operation begins, or all of it is done.
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
        noteArrival(warp, *start.at, object);
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
  constexpr uint32_t pattern = 0x7ff77ff7; // no number in any format of floats
  for (const Place &place : start.results)
    for (uint32_t left = mask; left && place.bits == 32; left &= left - 1)
      lanesOf<uint32_t>(registers, place.slot)[__builtin_ctz(left)] = pattern;
}

static uint64_t offsetAt(const AddressOf &object, const char *registers, unsigned lane) {
  return addressIn(registers, object, lane) & sharedOffsetMask;
}

/// The operation is done later, with the registers as they are now.
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
  observersOf(warp).notify(events::Order, [&](Observer &observer) { observer.starts(warp, op, one.id); });
  return one;
}

void startOperation(char *registers, const Op &op, uint32_t mask, Warp &warp) {
  const auto &start = *static_cast<const StartedOperation *>(op.more);
  settleAll(warp);
  Timing &timing = warp.block->grid->timing;
  if (timing.isEager() && warp.clock.empty())
    return runAll(start.ops, registers, mask, warp);
  if (start.engine >= 0) {
    Engine &engine = engineAt(warp, static_cast<unsigned>(start.engine));
    ++engine.started;
    engine.vainWait = nullptr;
    holdRegisters(warp, op, start, mask);
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

/// Returns how many operations of an engine have ended when the wait returns.
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
  if (warp.clock.empty())
    return;
  if (engine.started > engine.committed() && engine.started > covered)
    engine.vainWait = &warp.now.frame->code.instruction(op.instruction);
  learnEntry(warp, use.isOfWarpgroup ? warp.alive : mask, agentOf(warp, use.engine, use.isOfWarpgroup), covered);
  if (use.completesWrites)
    learnEntry(warp, mask, warp.block->agents->writes(warp.agent), covered);
  giveBackRegisters(warp, use.engine, covered);
}

/// The object knows the end of the operations; the warp does not.
static void releaseEnds(const ArrivalAfter &after, const char *registers, uint32_t mask, Warp &warp) {
  Clock known = warp.clock;
  raiseEntry(known, agentOf(warp, after.engine, false), engineAt(warp, after.engine).started);
  for (uint32_t left = mask; left; left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(left));
    const uint64_t blocks = numberIn(registers, after.use.blocks, lane),
                   offset = offsetAt(after.object, registers, lane);
    if (const uint8_t *object = objectAt(after.object, registers, lane, warp))
      publish(warp, mask, known, (*warp.block->places)[placeOf(object)]);
    for (BlockState *other : warp.block->cluster)
      if (other->rank < 64 && blocks >> other->rank & 1)
        publish(warp, mask, known, (*warp.block->places)[placeOf(other->shared.data() + offset)]);
  }
  ++warp.clock[warp.agent];
}

void arriveAfter(char *registers, const Op &op, uint32_t mask, Warp &warp) {
  const auto &after = *static_cast<const ArrivalAfter *>(op.more);
  if (!warp.clock.empty())
    releaseEnds(after, registers, mask, warp);
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

void fenceProxies(char *, const Op &, uint32_t mask, Warp &warp) {
  if (warp.clock.empty())
    return;
  const Agents &agents = *warp.block->agents;
  const bool hasView = mask & warp.view.lanes;
  for (uint32_t one = 1; one <= agents.warps; ++one)
    raiseEntry(warp.clock, agents.fenced(one), std::max(warp.clock[one], hasView ? entryOf(warp.view.clock, one) : 0));
  ++warp.clock[warp.agent];
}

void fenceObjects(char *, const Op &, uint32_t, Warp &warp) {
  if (warp.clock.empty())
    return;
  const Agents &agents = *warp.block->agents;
  raiseEntry(warp.clock, agents.made(warp.agent), warp.clock[warp.agent]);
  ++warp.clock[warp.agent];
}

void releaseObjects(Warp &warp, uint64_t place) {
  if (warp.clock.empty())
    return;
  const Agents &agents = *warp.block->agents;
  Clock &known = (*warp.block->places)[place];
  for (uint32_t one = 1; one <= agents.warps; ++one)
    raiseEntry(known, agents.made(one), entryOf(warp.clock, agents.made(one)));
}

// ---- barrier objects

void acquireObject(Warp &warp, uint32_t lanes, const uint8_t *object, bool isRelaxed) {
  if (warp.clock.empty())
    return;
  acquireAt(warp, lanes, completeOf(object), isRelaxed);
  const ObjectHistory &history = warp.block->agents->object(placeOf(object));
  learnEntry(warp, lanes, history.agent, history.phases);
}

void endPhase(BlockState &block, const uint8_t *object) {
  ObjectHistory &history = block.agents->object(placeOf(object));
  ++history.phases;
  history.expected = history.came = 0;
  if (const auto arrivals = block.places->find(placeOf(object)); arrivals != block.places->end())
    join((*block.places)[completeOf(object)], Clock(arrivals->second));
}

void noteBytes(BlockState &block, const uint8_t *object, int64_t bytes) {
  ObjectHistory &history = block.agents->object(placeOf(object));
  (bytes > 0 ? history.expected : history.came) += std::abs(bytes);
}

void noteArrival(Warp &warp, const Instruction &at, const uint8_t *object) {
  ObjectHistory &history = warp.block->agents->object(placeOf(object));
  const auto found = llvm::find_if(history.arrivals, [&](const auto &one) { return one.first == &at; });
  if (found != history.arrivals.end())
    found->second = warp.agent;
  else
    history.arrivals.emplace_back(&at, warp.agent);
}

void noteInit(Warp &warp, const Op &op, const uint8_t *object, unsigned lane) {
  if (warp.clock.empty())
    return;
  ObjectHistory &history = warp.block->agents->object(placeOf(object));
  const Instruction *init = &warp.now.frame->code.instruction(op.instruction);
  if (history.isValid && history.init != init) // in a loop it may be the same one once more
    reportUndefined(warp, op, lane, "a barrier object that was made before and not invalidated");
  history.initialiser = warp.agent;
  history.initialised = warp.clock[warp.agent];
  history.init = init;
  history.isValid = true;
}

void noteInvalidation(Warp &warp, const uint8_t *object) {
  if (!warp.clock.empty())
    warp.block->agents->object(placeOf(object)).isValid = false;
}

void checkInit(Warp &warp, const Op &op, const uint8_t *object, unsigned lane) {
  if (warp.clock.empty())
    return;
  const Agents &agents = *warp.block->agents;
  const auto found = agents.objects.find(placeOf(object));
  if (found == agents.objects.end() || !found->second.initialiser || found->second.initialiser == warp.agent)
    return;
  const ObjectHistory &history = found->second;
  const auto isKnownBy = [&](const Clock &clock) {
    return entryOf(clock, history.initialiser) >= history.initialised ||
           entryOf(clock, agents.made(history.initialiser)) >= history.initialised;
  };
  if (isKnownBy(warp.clock) || isKnownBy(warp.view.clock))
    return;
  if (Fault *fault = raise(warp, op.instruction, lane)) {
    fault->race.earlier.warp = history.initialiser;
    fault->race.earlier.clock = history.initialised;
    fault->race.earlier.at = history.init;
    fault->race.rule = DiagId::UnorderedInit;
  }
}

// ---- names

static Warp &warpOf(const Warp &warp, uint32_t agent) {
  const std::vector<BlockState *> &cluster = warp.block->cluster;
  const uint32_t warps = warp.block->agents->warps / static_cast<uint32_t>(cluster.size());
  return cluster[(agent - 1) / warps]->warps[(agent - 1) % warps];
}

void nameRule(Race &race, const Warp &warp, bool isWrite) {
  const Agents &agents = *warp.block->agents;
  const uint32_t agent = race.earlier.warp;
  if (race.isUnfenced) {
    race.rule = DiagId::MissingProxyFence;
    return;
  }
  if (agent <= agents.warps) { // an ordinary access
    race.isOfWarp = agent == warp.agent;
    if (race.isTensor)
      race.rule = DiagId::UnwaitedTensorLoad;
    return;
  }
  if (race.isGlobal) { // an operation wrote there
    race.rule = DiagId::UnwaitedCopy;
    return;
  }
  if (agent >= agents.firstObject()) {
    race.rule = race.isWrite ? DiagId::UnwaitedBulkCopy : DiagId::SourceInFlight;
    return;
  }
  const uint32_t number = (agent - agents.engine(1, 0)) % agents.engines;
  const Warp &starter = warpOf(warp, (agent - agents.engine(1, 0)) / agents.engines + 1);
  const Engine &engine = starter.engines[number];
  if (race.isTensor)
    race.rule = isPipelineEngine(number) ? DiagId::UnwaitedTensorOperation : DiagId::UnwaitedTensorStore;
  else if (race.earlier.clock > engine.committed() && engine.vainWait) {
    race.rule = DiagId::UncommittedCopy;
    race.wait = engine.vainWait;
  } else if (!race.isWrite)
    race.rule = DiagId::SourceInFlight;
  else if (entryOf(starter.clock, agent) >= race.earlier.clock && !isWrite)
    race.rule = DiagId::CopyWithoutBarrier;
  else
    race.rule = DiagId::UnwaitedCopy;
}

} // namespace ptxray::machine
