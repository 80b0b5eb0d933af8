#pragma once
// Reports of the core to the observers of a launch, for operations that make them in several places.
#include "Machine/Grid.h"

namespace ptxray::machine {

/// Reports that a lane accesses bytes at an address.
void reportRange(Warp &warp, const Op &op, const AddressOf &address, uint64_t at, uint64_t bytes, bool isWrite,
                 unsigned lane);
/// Reports that a lane accesses bytes of the shared memory of a block.
void reportShared(Warp &warp, const Op &op, BlockState &block, uint64_t offset, uint64_t bytes, bool isWrite,
                  unsigned lane);
/// Reports an access to columns of tensor memory from `first` on: a bit of each number stands for 16 lanes of a column.
/// `together`: the lanes of the warp that access them, if it is more than one.
void reportTensor(Warp &warp, const Op &op, BlockState &block, uint32_t first, llvm::ArrayRef<uint8_t> lanes,
                  bool isWrite, unsigned lane, uint32_t together = 0);
/// Reports that a warp reads a matrix in the shared memory of a block.
void reportMatrix(Warp &warp, const Op &op, BlockState &block, const SharedMatrix &matrix, unsigned lane);
/// Reports an amount of data.
void reportAmount(Warp &warp, const Op &op, Amount what, uint64_t amount);
/// Reports an amount of bytes in a state space, if observers distinguish it.
void reportAmount(Warp &warp, const Op &op, Space space, uint64_t bytes);
/// Reports to observers that lanes are about to execute an instruction, if they need to know.
void reportBefore(Warp &warp, const FunctionCode &code, uint32_t instruction, uint32_t lanes);
/// Reports to observers that lanes, perhaps none, have executed an instruction.
void reportExecuted(Warp &warp, const FunctionCode &code, uint32_t instruction, uint32_t lanes);
/// Reports that a phase of the barrier object is over.
void endPhase(BlockState &block, const uint8_t *object);
/// Notes bytes that a phase expects; below 0: bytes that came.
void noteBytes(BlockState &block, const uint8_t *object, int64_t bytes);

} // namespace ptxray::machine
