#pragma once
// The trace of a thread: a line for each instruction that it executes.
#include "Machine/Warp.h"

namespace ptxray::machine {

/// Notes an instruction that the traced lane has executed, with the registers that it wrote and those of addresses.
void trace(Warp &warp, const FunctionCode &code, uint32_t instruction);

} // namespace ptxray::machine
