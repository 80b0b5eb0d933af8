#pragma once
// A delayed access in a weak schedule.
#include "Machine/Program.h"

namespace ptxray::machine {

struct Frame;

/// A load or an atomic operation that its warp has executed, but whose effect is delayed.
struct LateAccess {
  const Op *op;
  uint32_t mask;
  Frame *frame;
  uint64_t due;        // in turns
  SlotFilter written;  // registers that it will write
  SlotFilter read;     // registers that it will read
  uint64_t begin, end; // bounds of the bytes that it accesses
};

} // namespace ptxray::machine
