#pragma once
// Fences and other points at which the accesses of threads are ordered.
#include "Machine/Program.h"

namespace ptxray::machine {

/// Payload of a fence for memory.
struct ThreadFence {
  bool releases = false, acquires = false;
  bool isSequential = false; // all of these have one order
  bool isOfBlock = false;    // it orders for the threads of its block alone
};
void fenceThreads(char *registers, const Op &op, uint32_t mask, Warp &warp);
/// Reports that lanes execute an instruction together.
void meetReads(char *registers, const Op &op, uint32_t mask, Warp &warp);
/// Makes the lanes of a warp wait for each other.
void meetLanes(char *registers, const Op &op, uint32_t mask, Warp &warp);

/// Reports a fence that has no other effect in the machine. The payload is a `Fence`.
void reportFence(char *registers, const Op &op, uint32_t mask, Warp &warp);

} // namespace ptxray::machine
