#include "Machine/Warp.h"

namespace ptxray::machine {

Fault *raise(Warp &warp, uint32_t instruction, unsigned lane) {
  if (warp.fault)
    return nullptr;
  Fault &fault = warp.fault.emplace();
  fault.code = &warp.now.frame->code;
  fault.instruction = instruction;
  fault.lane = lane;
  return &fault;
}

} // namespace ptxray::machine
