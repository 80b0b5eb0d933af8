#pragma once
// Reports control flow with undefined behaviour.
#include "Machine/Warp.h"

namespace ptxray::machine {

/// Reports that an instruction has undefined behaviour because of its operands in `lane`.
void raiseUndefined(Warp &warp, uint32_t instruction, unsigned lane, std::string why);
/// Report the first lane with an invalid operand. Return whether there is one.
bool isBeyondTable(Warp &warp, uint32_t instruction, const JumpTable &table, uint32_t mask);
bool isNoBarrier(Warp &warp, uint32_t instruction, const BarrierSite &site, uint32_t mask);
/// Reports an indirect call whose arguments or results differ from those of the callee in number or size.
bool differsFromCallee(Warp &warp, uint32_t instruction, const CallSite &site, const FunctionCode &callee,
                       unsigned lane);

} // namespace ptxray::machine
