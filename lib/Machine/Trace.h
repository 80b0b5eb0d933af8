#pragma once
// The trace of a thread: a line for each instruction that it executes.
#include "Machine/Warp.h"

namespace ptxray::machine {

/// The number in a register as people read it: floats and signed numbers in their own way, all others with their bits.
std::string numberText(const Frame &frame, const Symbol &symbol, Slot slot, unsigned lane);

/// Notes an instruction that the traced lane has executed, with the registers that it wrote and those of addresses.
void trace(Warp &warp, const FunctionCode &code, uint32_t instruction);

} // namespace ptxray::machine
