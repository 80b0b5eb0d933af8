#pragma once
// Accesses of the lanes of a warp to memory.
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

void loadElements(char *registers, const Op &op, uint32_t mask, Warp &warp);
void storeElements(char *registers, const Op &op, uint32_t mask, Warp &warp);
/// The same for usual accesses, which take less time where the addresses lie to each other as they did the last time.
Handler quickHandlerOf(const MemoryAccess &access);
void accessAtomically(char *registers, const Op &op, uint32_t mask, Warp &warp);
void copyBytes(char *registers, const Op &op, uint32_t mask, Warp &warp);
void accessMatrices(char *registers, const Op &op, uint32_t mask, Warp &warp);

/// The address that a lane computes.
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
/// Notes an access if it is to shared memory, and faults if it races.
void watch(Warp &warp, const Op &op, const AddressOf &address, uint64_t at, uint64_t bytes, bool isWrite,
           unsigned lane);
/// The same for shared memory of a block; else than of the lane it is of its warp as a whole.
void watchShared(Warp &warp, const Op &op, BlockState &block, uint64_t offset, uint64_t bytes, bool isWrite,
                 unsigned lane, bool isOfLane = true);
/// The same for columns of tensor memory from `first` on: a bit of each number for 16 lanes.
/// `together`: the lanes that access them, if it is more than one.
void watchTensor(Warp &warp, const Op &op, BlockState &block, uint32_t first, llvm::ArrayRef<uint8_t> lanes,
                 bool isWrite, unsigned lane, uint32_t together = 0);
void report(Warp &warp, const Op &op, AccessFault fault, const AddressOf &address, uint64_t at, uint64_t bytes,
            bool isWrite, unsigned lane);

} // namespace ptxray::machine
