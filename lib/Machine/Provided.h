#pragma once
// Functions that a driver provides to kernels: printf, memory, failed assertions.
#include "Machine/Warp.h"

namespace ptxray::machine {

bool isProvided(llvm::StringRef name);
/// Executes the call for the lanes in `mask`. Returns false if the call is not possible.
bool callProvided(Warp &warp, const CallSite &site, uint32_t mask, uint32_t instruction);

} // namespace ptxray::machine
