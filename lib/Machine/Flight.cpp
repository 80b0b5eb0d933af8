#include "Machine/Flight.h"
#include "Isa/Isa.h"
#include "Machine/BarrierObject.h"
#include "Machine/Grid.h"
#include <algorithm>

namespace ptxray::machine {

std::shared_ptr<Agents> agentsOf(uint32_t warps) {
  auto agents = std::make_shared<Agents>();
  agents->warps = warps;
  agents->engines = static_cast<uint32_t>(isa::tables().groups.size());
  return agents;
}

static void raiseEntry(Clock &clock, uint32_t entry, uint32_t to) {
  if (clock.size() <= entry)
    clock.resize(entry + 1);
  clock[entry] = std::max(clock[entry], to);
}
static uint32_t entryOf(const Clock &clock, uint32_t entry) { return entry < clock.size() ? clock[entry] : 0; }

static uint64_t placeOf(const uint8_t *object) { return reinterpret_cast<uintptr_t>(object); }

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

static void runAll(const std::vector<Op> &ops, char *registers, uint32_t mask, Warp &warp) {
  for (const Op &op : ops)
    op.run(registers, op, mask, warp);
}

void startOperation(char *registers, const Op &op, uint32_t mask, Warp &warp) {
  const auto &start = *static_cast<const StartedOperation *>(op.more);
  if (warp.clock.empty())
    return runAll(start.ops, registers, mask, warp);
  warp.doer = {0, 0, start.isAsyncProxy, start.isOrdered};
  if (start.engine >= 0) {
    const auto engine = static_cast<unsigned>(start.engine);
    warp.doer.agent = agentOf(warp, engine, start.isOfWarpgroup);
    warp.doer.clock = ++engineAt(warp, engine).started;
    engineAt(warp, engine).vainWait = nullptr;
  }
  if (!start.isCounted)
    runAll(start.ops, registers, mask, warp);
  else
    for (uint32_t left = mask; left; left &= left - 1) {
      if (const uint8_t *object = objectAt(start.object, registers, static_cast<unsigned>(__builtin_ctz(left)), warp)) {
        const ObjectHistory &history = warp.block->agents->object(placeOf(object));
        warp.doer.agent = history.agent;
        warp.doer.clock = history.phases + 1;
      }
      runAll(start.ops, registers, left & -left, warp);
    }
  warp.doer = {};
}

void watchMatrix(Warp &warp, const Op &op, BlockState &block, const SharedMatrix &matrix, unsigned lane) {
  constexpr uint32_t bytesOfPiece = 16;
  if (!warp.clock.empty())
    for (const uint32_t place : block.grid->matrices.placesOf(matrix))
      watchShared(warp, op, block, place, bytesOfPiece, false, lane);
}

// ---- ends

void commitGroup(char *, const Op &op, uint32_t, Warp &warp) {
  constexpr size_t mostRemembered = 256;
  Engine &engine = engineAt(warp, static_cast<const GroupUse *>(op.more)->engine);
  engine.groups.push_back(engine.started);
  if (engine.groups.size() > mostRemembered)
    engine.groups.pop_front();
}

void awaitGroups(char *registers, const Op &op, uint32_t mask, Warp &warp) {
  const auto &use = *static_cast<const GroupUse *>(op.more);
  const auto lane = static_cast<unsigned>(__builtin_ctz(mask));
  const uint64_t pending = numberIn(registers, use.pending, lane);
  Engine &engine = engineAt(warp, use.engine);
  if (warp.clock.empty())
    return;
  if (engine.started > engine.committed())
    engine.vainWait = &warp.now.frame->code.instruction(op.instruction);
  if (pending < engine.groups.size())
    raiseEntry(warp.clock, agentOf(warp, use.engine, use.isOfWarpgroup),
               engine.groups[engine.groups.size() - 1 - pending]);
}

void arriveAfter(char *registers, const Op &op, uint32_t mask, Warp &warp) {
  const auto &use = *static_cast<const ArrivalAfter *>(op.more);
  if (warp.clock.empty())
    return;
  // The object knows the end of the operations; the warp does not.
  Clock known = warp.clock;
  raiseEntry(known, agentOf(warp, use.engine, false), engineAt(warp, use.engine).started);
  for (uint32_t left = mask; left; left &= left - 1)
    if (const uint8_t *object = objectAt(use.object, registers, static_cast<unsigned>(__builtin_ctz(left)), warp))
      join((*warp.block->places)[placeOf(object)], known);
  ++warp.clock[warp.agent];
}

void fenceProxies(char *, const Op &, uint32_t, Warp &warp) {
  if (warp.clock.empty())
    return;
  const Agents &agents = *warp.block->agents;
  for (uint32_t one = 1; one <= agents.warps; ++one)
    raiseEntry(warp.clock, agents.fenced(one), warp.clock[one]);
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

void acquireObject(Warp &warp, const uint8_t *object) {
  if (warp.clock.empty())
    return;
  acquireAt(warp, placeOf(object));
  const ObjectHistory &history = warp.block->agents->object(placeOf(object));
  raiseEntry(warp.clock, history.agent, history.phases);
}

void endPhase(BlockState &block, const uint8_t *object) {
  ObjectHistory &history = block.agents->object(placeOf(object));
  ++history.phases;
  history.expected = history.came = 0;
}

void noteBytes(BlockState &block, const uint8_t *object, int64_t bytes) {
  ObjectHistory &history = block.agents->object(placeOf(object));
  (bytes > 0 ? history.expected : history.came) += std::abs(bytes);
}

void noteInit(Warp &warp, const Op &op, const uint8_t *object) {
  if (warp.clock.empty())
    return;
  ObjectHistory &history = warp.block->agents->object(placeOf(object));
  history.initialiser = warp.agent;
  history.initialised = warp.clock[warp.agent];
  history.init = &warp.now.frame->code.instruction(op.instruction);
}

void checkInit(Warp &warp, const Op &op, const uint8_t *object, unsigned lane) {
  if (warp.clock.empty())
    return;
  const Agents &agents = *warp.block->agents;
  const auto found = agents.objects.find(placeOf(object));
  if (found == agents.objects.end() || !found->second.initialiser || found->second.initialiser == warp.agent)
    return;
  const ObjectHistory &history = found->second;
  if (entryOf(warp.clock, history.initialiser) >= history.initialised ||
      entryOf(warp.clock, agents.made(history.initialiser)) >= history.initialised)
    return;
  if (Fault *fault = raise(warp, op.instruction, lane)) {
    fault->race.earlier = {history.initialiser, history.initialised, 0, history.init};
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
  if (agent <= agents.warps) // an ordinary access
    return;
  if (agent >= agents.firstObject()) {
    race.rule = race.isWrite ? DiagId::UnwaitedBulkCopy : DiagId::SourceInFlight;
    return;
  }
  const uint32_t number = (agent - agents.engine(1, 0)) % agents.engines;
  const Warp &starter = warpOf(warp, (agent - agents.engine(1, 0)) / agents.engines + 1);
  const Engine &engine = starter.engines[number];
  if (race.earlier.clock > engine.committed() && engine.vainWait) {
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
