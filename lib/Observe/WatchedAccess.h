#pragma once
// Quick accesses for launches that only look for races and uninitialised bytes.
#include "Machine/Program.h"

namespace ptxray::machine {

/// Returns the handler of a usual access.
Handler watchedHandlerOf(const MemoryAccess &access);

} // namespace ptxray::machine
