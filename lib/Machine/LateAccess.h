#pragma once
// An access of a weak schedule that is done later.
#include "Machine/Program.h"

namespace ptxray::machine {

struct Frame;

/// A load or an atomic operation that its warp has come to and not done yet.
struct LateAccess {
  const Op *op;
  uint32_t mask;
  Frame *frame;
  uint64_t due;        // in turns
  SlotFilter written;  // the registers that it will write
  SlotFilter read;     // and that it will read
  uint64_t begin, end; // all bytes that it accesses lie in between
};

} // namespace ptxray::machine
