#pragma once
// Accesses of the lanes of a warp to memory.
#include "Machine/LaneShape.h"
#include "Machine/Program.h"
#include "Machine/Warp.h"

namespace ptxray::machine {

/// Payload of an atomic operation: for one lane after the other.
struct AtomicAccess {
  std::vector<MemoryAccess> reads, writes;
  std::vector<Op> ops;
  bool isIncrement = false;           // by 1, which ptxas has lanes of the same address do together
  std::vector<AtomicAccess> inGlobal; // one, if it is something else where a generic address leads to global memory
};
/// Payload of a copy of bytes from memory to memory.
struct MemoryCopy {
  AddressOf to, from;
  Place count; // none: all
  uint32_t bytes = 0, alignment = 1;
};
/// Payload of a load or store of matrices by a warp.
struct MatrixAccess {
  AddressOf rows;
  bool isTransposed = false, isWrite = false;
  llvm::SmallVector<Place, 4> registers;
};

/// The memory that the lanes of an access lead to. Lanes that lead nowhere are not in the mask.
struct Pointers {
  Pointers(uint32_t mask, const LaneShape *shape) : mask(mask), shape(shape) {}
  uint32_t mask;
  const LaneShape *shape;             // if all lanes lead to one memory; null: each leads somewhere
  uint8_t *first = nullptr;           // in that memory, of the first lane of the shape
  std::array<uint8_t *, warpSize> of; // if there is no shape; not set outside of the mask

  uint8_t *at(unsigned lane) const { return shape ? first + shape->distances[lane] : of[lane]; }
};

/// Returns the allocation that holds an address, or null.
const Allocation *findAllocation(const Warp &warp, uint64_t address);
/// Returns the allocation that the instruction, or another one, has accessed last, or null.
inline const Allocation *&lastAllocationOf(Warp &warp, const Op &op) {
  return warp.cache.recent[op.instruction % warp.cache.recent.size()];
}
/// Returns the allocation that holds an address, which is mostly the last one of the instruction, or null.
inline const Allocation *allocationAt(Warp &warp, const Op &op, uint64_t address) {
  const Allocation *&last = lastAllocationOf(warp, op);
  if (!last || address < last->begin || address >= last->end)
    last = findAllocation(warp, address);
  return last;
}

void loadElements(char *registers, const Op &op, uint32_t mask, Warp &warp);
void storeElements(char *registers, const Op &op, uint32_t mask, Warp &warp);
/// The same for usual accesses, which take less time where the addresses lie to each other as they did the last time.
Handler quickHandlerOf(const MemoryAccess &access);
void accessAtomically(char *registers, const Op &op, uint32_t mask, Warp &warp);
void copyBytes(char *registers, const Op &op, uint32_t mask, Warp &warp);
void accessMatrices(char *registers, const Op &op, uint32_t mask, Warp &warp);

/// Returns the address that a lane computes.
uint64_t addressIn(const char *registers, const AddressOf &address, unsigned lane);
/// The bytes that an address of a lane leads to; null: none, and `fault` says why.
struct Lookup {
  uint8_t *bytes = nullptr;
  AccessFault fault = AccessFault::None;
};
Lookup look(Warp &warp, Space space, uint64_t address, uint64_t bytes, unsigned lane, bool isWrite);
/// Reports a generic address that leaves shared memory, where matrices have to be. Returns whether it does.
bool leavesShared(Warp &warp, const Op &op, AddressOf address, uint64_t at, uint64_t bytes, bool isWrite,
                  unsigned lane);
/// Bytes that an operation in flight will write become no number in any format of floats.
void poison(uint8_t *bytes, uint64_t count);
void report(Warp &warp, const Op &op, AccessFault fault, const AddressOf &address, uint64_t at, uint64_t bytes,
            bool isWrite, unsigned lane);

} // namespace ptxray::machine
