#pragma once
// What one thread executes, instruction by instruction.
#include "Machine/Warp.h"

namespace ptxray::machine {

/// Notes an instruction that the traced lane has executed, with the registers that it wrote and those of addresses.
void trace(Warp &warp, const FunctionCode &code, uint32_t instruction);

} // namespace ptxray::machine
