#pragma once
// Explains hangs. A launch hangs when none of its threads can continue.
#include "Machine/Grid.h"

namespace ptxray::machine {

/// Lanes of a warp that wait at an instruction.
struct WaitingLanes {
  const Warp *warp;
  const Frame *frame;
  uint32_t instruction, lanes;
  std::string reason;                // description of the missing part; empty if unknown
  const BlockState *block = nullptr; // the block whose shared memory contains the awaited barrier object:
  uint64_t offset = 0;
};
std::vector<WaitingLanes> waitingIn(const BlockState &block);
/// Describes the phase of a barrier object in the shared memory of a block, and what it waits for.
std::string objectText(const BlockState &block, uint64_t offset);
/// Describes what is missing at a barrier.
std::string barrierText(const NumberedBarrier &barrier);

/// Reports where the threads of the first hanging block wait, and what is missing there.
DiagnosticList explainHang(const GridState &grid, llvm::ArrayRef<BlockState *> blocks);

} // namespace ptxray::machine
