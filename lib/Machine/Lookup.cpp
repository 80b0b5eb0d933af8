// Resolves the address of a lane to bytes of a memory, or to a fault.
#include "Machine/Access.h"
#include "Machine/Grid.h"
#include <cstring>

namespace ptxray::machine {

uint64_t addressIn(const char *registers, const AddressOf &address, unsigned lane) {
  uint64_t base = 0;
  if (address.base.bits == 64)
    std::memcpy(&base, registers + address.base.slot + 8 * lane, 8);
  else if (address.base.bits == 32) {
    uint32_t low;
    std::memcpy(&low, registers + address.base.slot + 4 * lane, 4);
    return address.space == Space::Generic || address.space == Space::Global ? low + uint64_t(address.offset)
                                                                             : uint32_t(low + address.offset);
  }
  return base + uint64_t(address.offset);
}

static Lookup inBytes(std::vector<uint8_t> &room, uint64_t at, uint64_t bytes) {
  if (at > room.size() || bytes > room.size() - at)
    return {nullptr, AccessFault::OutOfBounds};
  return {room.data() + at, AccessFault::None};
}

static Lookup inShared(Warp &warp, uint64_t address, uint64_t bytes, bool isWrite) {
  const uint64_t rank = address >> sharedRankShift;
  if (rank >= warp.block->cluster.size() || !warp.block->reaches(*warp.block->cluster[rank]))
    return {nullptr, AccessFault::OutOfBounds};
  BlockState &owner = *warp.block->cluster[rank];
  const uint64_t at = address & sharedOffsetMask;
  const ByteRun zone = sharedZoneAt(*warp.block->grid, at);
  if (bytes ? at >= zone.end || bytes > zone.end - at : at > owner.shared.size())
    return {nullptr, AccessFault::OutOfBounds};
  if (isWrite)
    observersOf(warp).notify(events::Writes, [&](Observer &one) { one.writes(warp, &owner, at, bytes, 0); });
  return {owner.shared.data() + at, AccessFault::None};
}

static Lookup inLocal(Warp &warp, uint64_t address, uint64_t bytes, unsigned lane, bool isWrite) {
  if (address > warp.local.perLane || bytes > warp.local.perLane - address)
    return {nullptr, AccessFault::OutOfBounds};
  const Observers &observers = observersOf(warp);
  if (observers.any(events::Writes, [&](Observer &one) { return one.isGuarded(warp, address, bytes, lane); }))
    return {nullptr, AccessFault::OutOfBounds};
  if (isWrite)
    observers.notify(events::Writes, [&](Observer &one) { one.writes(warp, nullptr, address, bytes, lane); });
  return {warp.localOf(lane) + address, AccessFault::None};
}

static Lookup inGlobal(Warp &warp, uint64_t address, uint64_t bytes, bool isWrite) {
  const Allocation *one = warp.block->grid->memory.find(address);
  if (!one || !one->contains(address, bytes))
    return {nullptr, AccessFault::OutOfBounds};
  if (one->isConstant && isWrite)
    return {nullptr, AccessFault::ReadOnly};
  return {one->at(address), AccessFault::None};
}

static Lookup inParameters(Warp &warp, uint64_t address, uint64_t bytes, bool isWrite) {
  if (isWrite)
    return {nullptr, AccessFault::ReadOnly};
  return inBytes(warp.block->grid->parameters, address, bytes);
}

Lookup look(Warp &warp, Space space, uint64_t address, uint64_t bytes, unsigned lane, bool isWrite) {
  if (space == Space::Generic && address < 5 * windowBytes) {
    const uint64_t inWindow = address % windowBytes;
    switch (address / windowBytes) {
    case 1: return inLocal(warp, inWindow, bytes, lane, isWrite);
    case 2: return inShared(warp, inWindow, bytes, isWrite);
    case 4: return inParameters(warp, inWindow, bytes, isWrite);
    default: return {nullptr, AccessFault::OutOfBounds};
    }
  }
  switch (space) {
  case Space::Shared: return inShared(warp, address, bytes, isWrite);
  case Space::Local: return inLocal(warp, address, bytes, lane, isWrite);
  case Space::Param: return inParameters(warp, address, bytes, isWrite);
  default: return inGlobal(warp, address, bytes, isWrite);
  }
}

void report(Warp &warp, const Op &op, AccessFault access, const AddressOf &address, uint64_t at, uint64_t bytes,
            bool isWrite, unsigned lane) {
  Fault *fault = raise(warp, op.instruction, lane);
  if (!fault)
    return;
  fault->access = access;
  fault->address = at;
  fault->bytes = static_cast<uint32_t>(bytes);
  fault->isWrite = isWrite;
  fault->space = address.space;
}

bool leavesShared(Warp &warp, const Op &op, AddressOf address, uint64_t at, uint64_t bytes, bool isWrite,
                  unsigned lane) {
  if (address.space != Space::Generic || at / windowBytes == sharedWindow / windowBytes)
    return false;
  address.space = Space::Shared;
  report(warp, op, AccessFault::OutOfBounds, address, at, bytes, isWrite, lane);
  return true;
}

} // namespace ptxray::machine
