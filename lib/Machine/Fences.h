#pragma once
// Fences and other operations that order the memory accesses of threads.
#include "Machine/Program.h"

namespace ptxray::machine {

/// Payload of a memory fence.
struct ThreadFence {
  bool releases = false, acquires = false;
  bool isSequential = false; // sequentially consistent
  bool isOfBlock = false;    // orders only for the threads of the block
};
void fenceThreads(char *registers, const Op &op, uint32_t mask, Warp &warp);
/// Notifies observers that lanes execute an instruction together.
void meetReads(char *registers, const Op &op, uint32_t mask, Warp &warp);
/// Synchronises the lanes of a warp.
void meetLanes(char *registers, const Op &op, uint32_t mask, Warp &warp);

/// Reports a fence that has no other effect in the emulator. The payload is a `Fence`.
void reportFence(char *registers, const Op &op, uint32_t mask, Warp &warp);

} // namespace ptxray::machine
