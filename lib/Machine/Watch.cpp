#include "Machine/Watch.h"
#include "Machine/Flight.h"
#include "Machine/Grid.h"
#include "Machine/Unwritten.h"
#include <cstring>

namespace ptxray::machine {

const Allocation *findAllocation(const Warp &warp, uint64_t address) { return warp.block->grid->memory.find(address); }

static uint64_t offsetInShared(Space space, uint64_t address) {
  return (space == Space::Generic ? address - sharedWindow : address) & ((uint64_t(1) << sharedRankShift) - 1);
}

std::optional<Race> watched(Warp &warp, const Op &op, const AddressOf &address, const WatchedAccess &access) {
  const auto &[at, bytes, isWrite, mask, by, isStrong] = access;
  const bool isShared = address.space == Space::Shared || (address.space == Space::Generic && at / windowBytes == 2);
  const bool isGlobal = address.space == Space::Global || (address.space == Space::Generic && at >= globalBegin);
  if (!(isShared || isGlobal) || warp.fault || warp.clock.empty() || warp.doer.stage == Stage::End)
    return {};
  const Instruction &instruction = warp.now.frame->code.instruction(op.instruction);
  if (isGlobal) {
    const Allocation *one = allocationAt(warp, op, at);
    return one ? noteGlobal(warp, instruction, {*one, at - one->begin, bytes, isWrite, isStrong, by}) : std::nullopt;
  }
  const uint64_t rank = (at & (windowBytes - 1)) >> sharedRankShift;
  warp.accessing = mask;
  return noteAccess(warp, instruction, *warp.block->cluster[rank],
                    {offsetInShared(address.space, at), bytes, isWrite, by, isStrong});
}

void reportRace(const std::optional<Race> &race, Warp &warp, const Op &op, const AddressOf &address, uint64_t at,
                uint64_t bytes, bool isWrite, unsigned lane) {
  if (!race)
    return;
  report(warp, op, AccessFault::None, address, at, bytes, isWrite, lane);
  warp.fault->race = *race;
  nameRule(warp.fault->race, warp, isWrite);
}

void watch(Warp &warp, const Op &op, const AddressOf &address, uint64_t at, uint64_t bytes, bool isWrite,
           unsigned lane) {
  const auto by = static_cast<uint8_t>(lane);
  reportRace(watched(warp, op, address, {at, bytes, isWrite, 1u << lane, {&by, allOfLane}}), warp, op, address, at,
             bytes, isWrite, lane);
}

void watchShared(Warp &warp, const Op &op, BlockState &block, uint64_t offset, uint64_t bytes, bool isWrite,
                 unsigned lane, bool isOfLane) {
  if (isWrite)
    markWritten(block.written, offset, bytes);
  if (warp.clock.empty() || warp.fault || warp.doer.stage == Stage::End)
    return;
  const Instruction &instruction = warp.now.frame->code.instruction(op.instruction);
  const auto by = static_cast<uint8_t>(lane);
  warp.accessing = 1u << lane;
  const std::optional<Race> race =
      noteAccess(warp, instruction, block, {offset, bytes, isWrite, {isOfLane ? &by : nullptr, allOfLane}});
  reportRace(race, warp, op, {{}, 0, Space::Shared}, offset, bytes, isWrite, lane);
}

void watchTensor(Warp &warp, const Op &op, BlockState &block, uint32_t first, llvm::ArrayRef<uint8_t> lanes,
                 bool isWrite, unsigned lane, uint32_t together) {
  if (warp.clock.empty() || warp.doer.stage == Stage::End)
    return;
  const Instruction &instruction = warp.now.frame->code.instruction(op.instruction);
  warp.accessing = together ? together : 1u << lane;
  for (uint32_t i = 0; i < lanes.size() && !warp.fault; ++i) {
    const uint32_t column = (first + i) % TensorMemory::columns;
    if (lanes[i])
      reportRace(noteTensorAccess(warp, instruction, block, column, lanes[i], isWrite), warp, op,
                 {{}, 0, Space::Generic}, column, 4, isWrite, lane);
  }
}

/// The lane writes what is there already.
static bool changesNothing(const char *registers, const MemoryAccess &access, unsigned lane, const uint8_t *memory) {
  for (const Place &place : access.elements) {
    const size_t bytes = access.bits / 8;
    if (std::memcmp(registers + place.slot + size_t(lane) * (place.bits / 8), memory, bytes) != 0)
      return false;
    memory += bytes;
  }
  return true;
}

/// Notes weak accesses; lanes that access the same bytes, or those that follow, do it together. Returns whether there
/// is a race.
static bool isRaced(Warp &warp, const Op &op, const MemoryAccess &access, const uint64_t *at, const Pointers &found) {
  const auto shift = static_cast<unsigned>(__builtin_ctz(access.bytes));
  const auto isWatched = [&](uint64_t from, uint64_t bytes, const uint8_t *lanes, const uint32_t *ofCells) {
    const WatchedAccess one{from, bytes, access.isWrite, found.mask, {lanes, shift, ofCells}};
    return watched(warp, op, access.address, one).has_value();
  };
  if (const LaneShape *shape = found.shape) {
    for (unsigned i = 0; i < shape->runs; ++i) {
      const LaneShape::Run &run = shape->run[i];
      if (isWatched(at[shape->lane] + static_cast<uint64_t>(run.at), size_t(run.elements) * access.bytes,
                    shape->lanes.data() + run.first, shape->lanesOfCells.data() + run.first))
        return true;
    }
    return false;
  }
  for (uint32_t left = found.mask; left; left &= left - 1) {
    const auto lane = static_cast<uint8_t>(__builtin_ctz(left));
    if (isWatched(at[lane], access.bytes, &lane, nullptr))
      return true;
  }
  return false;
}

/// A strong access orders, and what it writes races with weak accesses.
static void watchStrong(Warp &warp, const Op &op, const MemoryAccess &access, uint64_t at, uint8_t lane) {
  if (access.isWrite) {
    const std::optional<Race> race =
        watched(warp, op, access.address, {at, access.bytes, true, 1u << lane, {&lane, allOfLane}, true});
    reportRace(race, warp, op, access.address, at, access.bytes, true, lane);
  }
  if (warp.doer.agent)
    return;
  const uint64_t place = access.address.space == Space::Shared ? at + sharedWindow : at;
  if (access.isWrite)
    releaseAt(warp, 1u << lane, place, !access.releases);
  else
    acquireAt(warp, 1u << lane, place, !access.acquires);
  if (access.address.space != Space::Shared)
    orderClusters(warp, place);
}

void watchAll(Warp &warp, const Op &op, const MemoryAccess &access, const uint64_t *at, const Pointers &found) {
  ++warp.turn;
  if (!access.isStrong && !isRaced(warp, op, access, at, found))
    return;
  const char *registers = warp.now.frame->registers;
  for (uint32_t left = found.mask; left; left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(left));
    const auto by = static_cast<uint8_t>(lane);
    if (access.isStrong) {
      watchStrong(warp, op, access, at[lane], by);
      continue;
    }
    const std::optional<Race> race =
        watched(warp, op, access.address, {at[lane], access.bytes, access.isWrite, 1u << lane, {&by, allOfLane}});
    if (!race)
      continue;
    if (!race->matters) {
      noteDoubtfulLoad(warp, op, 1u << lane, {*race, at[lane]});
      continue;
    }
    const bool isHarmless =
        access.isWrite && (race->isWrite || race->cluster) && changesNothing(registers, access, lane, found.at(lane));
    if (!isHarmless)
      reportRace(race, warp, op, access.address, at[lane], access.bytes, access.isWrite, lane);
  }
}

} // namespace ptxray::machine
