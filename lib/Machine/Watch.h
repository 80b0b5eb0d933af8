#pragma once
// Accesses of lanes are noted here, so that races are found.
#include "Machine/Access.h"
#include "Machine/LaneShape.h"
#include <array>

namespace ptxray::machine {

/// The places that the lanes of an access lead to. Lanes that lead nowhere are out of the mask.
struct Pointers {
  Pointers(uint32_t mask, const LaneShape *shape) : mask(mask), shape(shape) {}
  uint32_t mask;
  const LaneShape *shape;             // where all lanes lead to one memory; null: each leads somewhere
  uint8_t *first = nullptr;           // in that memory, of the first lane of the shape
  std::array<uint8_t *, warpSize> of; // if there is no shape; not set outside of the mask

  uint8_t *at(unsigned lane) const { return shape ? first + shape->distances[lane] : of[lane]; }
};

/// Bytes that lanes access, by addresses.
struct WatchedAccess {
  uint64_t at, bytes;
  bool isWrite;
  uint32_t mask;       // the lanes
  AccessLanes by = {}; // of each element
  bool isStrong = false;
};
inline constexpr unsigned allOfLane = 63; // a shift by which all bytes are of one lane

/// The allocation that holds an address; null: none.
const Allocation *findAllocation(const Warp &warp, uint64_t address);
/// That of the last access of the instruction, or of another one; null: none.
inline const Allocation *&lastAllocationOf(Warp &warp, const Op &op) {
  return warp.recent[op.instruction % warp.recent.size()];
}
/// The allocation that holds an address, which is mostly the last one of the instruction.
inline const Allocation *allocationAt(Warp &warp, const Op &op, uint64_t address) {
  const Allocation *&last = lastAllocationOf(warp, op);
  if (!last || address < last->begin || address >= last->end)
    last = findAllocation(warp, address);
  return last;
}
/// Notes an access to shared or global memory; gives the earlier one that it races with, if there is one.
std::optional<Race> watched(Warp &warp, const Op &op, const AddressOf &address, const WatchedAccess &access);
/// Faults if there is one.
void reportRace(const std::optional<Race> &race, Warp &warp, const Op &op, const AddressOf &address, uint64_t at,
                uint64_t bytes, bool isWrite, unsigned lane);
/// Notes the accesses of the lanes. Two warps may write the same.
void watchAll(Warp &warp, const Op &op, const MemoryAccess &access, const uint64_t *at, const Pointers &found);

} // namespace ptxray::machine
