#pragma once
// Fast accesses for launches that detect only races and uninitialised bytes.
#include "Machine/Program.h"

namespace ptxray::machine {

/// Returns the handler of a usual access.
Handler watchedHandlerOf(const MemoryAccess &access);

} // namespace ptxray::machine
