#pragma once
// Control flow that the manual does not define.
#include "Machine/Warp.h"

namespace ptxray::machine {

/// Reports what an instruction does as undefined, because of what `lane` gives it.
void raiseUndefined(Warp &warp, uint32_t instruction, unsigned lane, std::string why);
/// Report the first of the lanes that is at fault. Return whether there is one.
bool isBeyondTable(Warp &warp, uint32_t instruction, const JumpTable &table, uint32_t mask);
bool isNoBarrier(Warp &warp, uint32_t instruction, const BarrierSite &site, uint32_t mask);
/// Reports a call by address whose arguments and results differ from those of the function, in number or size.
bool differsFromCallee(Warp &warp, uint32_t instruction, const CallSite &site, const FunctionCode &callee,
                       unsigned lane);

} // namespace ptxray::machine
