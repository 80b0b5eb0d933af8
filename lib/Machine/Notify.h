#pragma once
// Reports from the emulator core to the observers of a launch, for operations that report in several places.
#include "Machine/Grid.h"

namespace ptxray::machine {

/// Reports that a lane accesses bytes at an address.
void reportRange(Warp &warp, const Op &op, const AddressOf &address, uint64_t at, uint64_t bytes, bool isWrite,
                 unsigned lane);
/// Reports that a lane accesses bytes in the shared memory of a block.
void reportShared(Warp &warp, const Op &op, BlockState &block, uint64_t offset, uint64_t bytes, bool isWrite,
                  unsigned lane);
/// Reports an access to columns of tensor memory, starting at `first`. Each element of `lanes` is a bit mask for one
/// column; a bit represents 16 lanes of tensor memory. `together` is the mask of the warp's lanes that access them, if
/// several lanes do.
void reportTensor(Warp &warp, const Op &op, BlockState &block, uint32_t first, llvm::ArrayRef<uint8_t> lanes,
                  bool isWrite, unsigned lane, uint32_t together = 0);
/// Reports that a warp reads a matrix in the shared memory of a block.
void reportMatrix(Warp &warp, const Op &op, BlockState &block, const SharedMatrix &matrix, unsigned lane);
/// Reports an amount of moved or computed data.
void reportAmount(Warp &warp, const Op &op, Amount what, uint64_t amount);
/// Reports an amount of bytes in a state space, for observers that distinguish spaces.
void reportAmount(Warp &warp, const Op &op, Space space, uint64_t bytes);
/// Notifies observers that need it that lanes are about to execute an instruction.
void reportBefore(Warp &warp, const FunctionCode &code, uint32_t instruction, uint32_t lanes);
/// Notifies observers that lanes have executed an instruction. The mask may be empty.
void reportExecuted(Warp &warp, const FunctionCode &code, uint32_t instruction, uint32_t lanes);
/// Notifies observers that a phase of the mbarrier object is complete.
void endPhase(BlockState &block, const uint8_t *object);
/// Notifies observers of bytes that a phase expects, or, if negative, of bytes that arrived.
void noteBytes(BlockState &block, const uint8_t *object, int64_t bytes);

} // namespace ptxray::machine
