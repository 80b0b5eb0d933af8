#pragma once
// A launch hangs when none of its threads can go on: this finds out why.
#include "Machine/Grid.h"

namespace ptxray::machine {

/// Lanes of a warp that wait at an instruction.
struct WaitingLanes {
  const Warp *warp;
  const Frame *frame;
  uint32_t instruction, lanes;
  std::string reason;                // says what is missing there; empty: that is not known
  const BlockState *block = nullptr; // in whose shared memory the barrier object is that they wait for:
  uint64_t offset = 0;
};
std::vector<WaitingLanes> waitingIn(const BlockState &block);
/// Says in words which phase a barrier object in the shared memory of a block is in, and what it waits for.
std::string objectText(const BlockState &block, uint64_t offset);
/// Returns what is missing at a barrier.
std::string barrierText(const NumberedBarrier &barrier);

/// Reports where the threads of the first block that hangs wait, and what is missing there.
DiagnosticList explainHang(const GridState &grid, llvm::ArrayRef<BlockState *> blocks);

} // namespace ptxray::machine
