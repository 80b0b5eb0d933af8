#pragma once
// Memory accesses by the lanes of a warp.
#include "Machine/LaneShape.h"
#include "Machine/Program.h"
#include "Machine/Warp.h"

namespace ptxray::machine {

/// Payload of an atomic operation, which executes lane by lane.
struct AtomicAccess {
  std::vector<MemoryAccess> reads, writes;
  std::vector<Op> ops;
  bool isIncrement = false; // adds 1; ptxas combines such operations if lanes have equal addresses
  // The variant for generic addresses in global memory, if it differs; otherwise empty.
  std::vector<AtomicAccess> inGlobal;
};
/// Payload of a copy from memory to memory.
struct MemoryCopy {
  AddressOf to, from;
  Place count; // number of bytes to copy; all bytes if it is no register
  uint32_t bytes = 0, alignment = 1;
};
/// Payload of a load or store of matrices by a warp.
struct MatrixAccess {
  AddressOf rows;
  bool isTransposed = false, isWrite = false;
  llvm::SmallVector<Place, 4> registers;
};

/// The memory that each lane accesses. Lanes whose address is invalid are not in the mask.
struct Pointers {
  Pointers(uint32_t mask, const LaneShape *shape) : mask(mask), shape(shape) {}
  uint32_t mask;
  const LaneShape *shape;             // set if all lanes access one memory; otherwise null, and `of` is used
  uint8_t *first = nullptr;           // address of the shape's first lane in that memory
  std::array<uint8_t *, warpSize> of; // used without a shape; undefined for lanes outside of the mask

  uint8_t *at(unsigned lane) const { return shape ? first + shape->distances[lane] : of[lane]; }
};

/// Returns the allocation that contains an address, or null.
const Allocation *findAllocation(const Warp &warp, uint64_t address);
/// Returns the cached allocation for the instruction, or null. Several instructions share a cache entry.
inline const Allocation *&lastAllocationOf(Warp &warp, const Op &op) {
  return warp.cache.recent[op.instruction % warp.cache.recent.size()];
}
/// Returns the allocation that contains an address, or null. Usually it is the cached one.
inline const Allocation *allocationAt(Warp &warp, const Op &op, uint64_t address) {
  const Allocation *&last = lastAllocationOf(warp, op);
  if (!last || address < last->begin || address >= last->end)
    last = findAllocation(warp, address);
  return last;
}

void loadElements(char *registers, const Op &op, uint32_t mask, Warp &warp);
void storeElements(char *registers, const Op &op, uint32_t mask, Warp &warp);
/// Returns the handler for usual accesses. The handler is faster if the distances between the addresses have not
/// changed.
Handler quickHandlerOf(const MemoryAccess &access);
void accessAtomically(char *registers, const Op &op, uint32_t mask, Warp &warp);
void copyBytes(char *registers, const Op &op, uint32_t mask, Warp &warp);
void accessMatrices(char *registers, const Op &op, uint32_t mask, Warp &warp);

/// Returns the address of a lane.
uint64_t addressIn(const char *registers, const AddressOf &address, unsigned lane);
/// The memory at a lane's address. If `bytes` is null, `fault` describes the problem.
struct Lookup {
  uint8_t *bytes = nullptr;
  AccessFault fault = AccessFault::None;
};
Lookup look(Warp &warp, Space space, uint64_t address, uint64_t bytes, unsigned lane, bool isWrite);
/// Reports a generic address outside of shared memory, where matrices must be stored. Returns whether the address is
/// outside.
bool leavesShared(Warp &warp, const Op &op, AddressOf address, uint64_t at, uint64_t bytes, bool isWrite,
                  unsigned lane);
/// Fills bytes that a pending operation will write with a pattern that is NaN in every floating-point format.
void poison(uint8_t *bytes, uint64_t count);
void report(Warp &warp, const Op &op, AccessFault fault, const AddressOf &address, uint64_t at, uint64_t bytes,
            bool isWrite, unsigned lane);

} // namespace ptxray::machine
