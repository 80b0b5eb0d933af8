#pragma once
// The end of memory in a launch. This library has no exceptions, but the standard library throws one.
#include "llvm/ADT/STLFunctionalExtras.h"

namespace ptxray::machine {

/// Calls `work`. Returns false if memory ran out in it. The objects that it worked on are then good for nothing.
bool hasMemoryFor(llvm::function_ref<void()> work);

} // namespace ptxray::machine
