#pragma once
// Quick accesses of launches that look for races and uninitialised bytes, and for nothing else.
#include "Machine/Program.h"

namespace ptxray::machine {

/// Returns the handler of a usual access.
Handler watchedHandlerOf(const MemoryAccess &access);

} // namespace ptxray::machine
