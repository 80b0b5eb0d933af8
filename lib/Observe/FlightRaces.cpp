// Detects races with asynchronous operations and on barrier objects.
#include "Machine/Flight.h"
#include "Observe/Order.h"
#include "Observe/RaceState.h"
#include "Observe/Watch.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray::machine {

/// Returns the key of the clock for arrivals in complete phases. The clock under `placeOf` also includes the current
/// phase.
static uint64_t completeOf(const uint8_t *object) { return placeOf(object) | 1; }

void RaceObserver::completes(Warp &warp, const Op &, const GroupUse &use, uint32_t covered, uint32_t lanes) {
  learnEntry(warp, use.isOfWarpgroup ? warp.alive : lanes, agentOf(warp, use.engine, use.isOfWarpgroup), covered);
  if (use.completesWrites)
    learnEntry(warp, lanes, warp.block->agents->writes(raceOf(warp).agent), covered);
  giveBackRegisters(warp, use.engine, covered);
}

/// Lets the objects know the end of the operations. The warp does not know it.
void RaceObserver::arrivesAfter(Warp &warp, const ArrivalAfter &after, llvm::ArrayRef<const uint8_t *> objects,
                                uint32_t lanes) {
  RaceWarp &race = raceOf(warp);
  Clock known = race.clock;
  const uint32_t started = after.engine < warp.engines.size() ? warp.engines[after.engine].started : 0;
  raiseEntry(known, agentOf(warp, after.engine, false), started);
  for (const uint8_t *object : objects)
    publish(warp, lanes, known, race.cluster->places[placeOf(object)]);
  ++race.clock[race.agent];
}

void RaceObserver::releases(Warp &warp, uint32_t lanes, uint64_t place, Release how) {
  if (how != Release::Objects)
    return releaseAt(warp, lanes, place, how == Release::Fenced);
  RaceWarp &race = raceOf(warp);
  const Agents &agents = *warp.block->agents;
  Clock &known = race.cluster->places[place];
  for (uint32_t one = 1; one <= agents.warps; ++one)
    raiseEntry(known, agents.made(one), entryOf(race.clock, agents.made(one)));
}

void RaceObserver::acquires(Warp &warp, uint32_t lanes, uint64_t place) { acquireAt(warp, lanes, place); }

void RaceObserver::fences(Warp &warp, uint32_t lanes, const Fence &fence) {
  if (fence.of == Fence::Of::Registers)
    return fenceRegisters(warp);
  orderByFence(warp, lanes, fence);
}

void RaceObserver::joins(Warp &warp, uint32_t lanes, bool isBarrier) {
  if (isBarrier)
    meet(warp);
  else
    orderReads(warp, lanes);
}

// ---- barrier objects

void RaceObserver::seesPhase(Warp &warp, uint32_t lanes, const uint8_t *object, bool isRelaxed) {
  acquireAt(warp, lanes, completeOf(object), isRelaxed);
  const ObjectHistory &history = warp.block->agents->object(placeOf(object));
  learnEntry(warp, lanes, history.agent, history.phases);
}

void RaceObserver::endsPhase(BlockState &block, const uint8_t *object) {
  std::map<uint64_t, Clock> &places = raceOf(block).cluster->places;
  if (const auto arrivals = places.find(placeOf(object)); arrivals != places.end())
    join(places[completeOf(object)], Clock(arrivals->second));
}

void RaceObserver::contributes(Warp &warp, const Instruction &at, const uint8_t *object) {
  RaceWarp &race = raceOf(warp);
  warp.block->agents->object(placeOf(object)); // memory is an object from now on
  auto &arrivals = race.cluster->objects[placeOf(object)].arrivals;
  const auto found = llvm::find_if(arrivals, [&](const auto &one) { return one.first == &at; });
  if (found != arrivals.end())
    found->second = race.agent;
  else
    arrivals.emplace_back(&at, race.agent);
}

static void noteInit(Warp &warp, const Op &op, ObjectMaking &making, unsigned lane) {
  const Instruction *init = &warp.now.frame->code.instruction(op.instruction);
  if (making.isValid && making.at != init) // in a loop, it may be the same instruction again
    reportUndefined(warp, op, lane, "a barrier object that was already initialised and not invalidated");
  const RaceWarp &race = raceOf(warp);
  making.warp = race.agent;
  making.clock = race.clock[race.agent];
  making.at = init;
  making.isValid = true;
}

/// Raises a fault if another warp initialised the object and nothing orders that before this use.
static void checkInit(Warp &warp, const Op &op, const ObjectMaking &making, unsigned lane) {
  const RaceWarp &race = raceOf(warp);
  const Agents &agents = *warp.block->agents;
  if (!making.warp || making.warp == race.agent)
    return;
  const auto isKnownBy = [&](const Clock &clock) {
    return entryOf(clock, making.warp) >= making.clock || entryOf(clock, agents.made(making.warp)) >= making.clock;
  };
  if (isKnownBy(race.clock) || isKnownBy(race.view.clock))
    return;
  if (Fault *fault = raise(warp, op.instruction, lane)) {
    fault->race.earlier.warp = making.warp;
    fault->race.earlier.clock = making.clock;
    fault->race.earlier.at = making.at;
    fault->race.rule = DiagId::UnorderedInit;
  }
}

void RaceObserver::objects(Warp &warp, const Op &op, ObjectUse use, const uint8_t *object, unsigned lane) {
  std::map<uint64_t, ObjectMaking> &known = raceOf(warp).cluster->objects;
  if (use != ObjectUse::Use)
    warp.block->agents->object(placeOf(object)); // memory is an object from now on
  else if (!known.contains(placeOf(object)))
    return;
  ObjectMaking &making = known[placeOf(object)];
  if (use == ObjectUse::Make)
    return noteInit(warp, op, making, lane);
  making.isValid &= use != ObjectUse::Invalidate;
  checkInit(warp, op, making, lane);
}

// ---- names

static Warp &warpOf(const Warp &warp, uint32_t agent) {
  const std::vector<BlockState *> &cluster = warp.block->cluster;
  const uint32_t warps = warp.block->agents->warps / static_cast<uint32_t>(cluster.size());
  return cluster[(agent - 1) / warps]->warps[(agent - 1) % warps];
}

/// Returns whether the warp has started operations of the same kind as another warp, and has waited for all of them.
/// Then only a barrier is missing between the two warps.
static bool hasWaitedItself(const Warp &warp, const Warp &starter, unsigned number) {
  if (number >= warp.engines.size())
    return false;
  const Agents &agents = *warp.block->agents;
  const Engine &own = warp.engines[number];
  return &warp != &starter && own.started &&
         entryOf(raceOf(warp).clock, agents.engine(raceOf(warp).agent, number)) >= own.started;
}

void nameRule(Race &race, const Warp &warp, bool isWrite) {
  const Agents &agents = *warp.block->agents;
  const uint32_t agent = race.earlier.warp;
  if (race.isUnfenced) {
    race.rule = DiagId::MissingProxyFence;
    return;
  }
  if (agent <= agents.warps) { // an ordinary access
    race.isOfWarp = agent == raceOf(warp).agent;
    if (race.isTensor)
      race.rule = DiagId::UnwaitedTensorLoad;
    return;
  }
  if (race.isGlobal) { // an operation wrote to global memory
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
  else if (!isWrite &&
           (entryOf(raceOf(starter).clock, agent) >= race.earlier.clock || hasWaitedItself(warp, starter, number)))
    race.rule = DiagId::CopyWithoutBarrier;
  else
    race.rule = DiagId::UnwaitedCopy;
}

} // namespace ptxray::machine
