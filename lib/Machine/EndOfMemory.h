#pragma once
// Handles memory exhaustion in a launch. This library is built without exceptions, but the standard library throws one
// if memory is exhausted.
#include "llvm/ADT/STLFunctionalExtras.h"

namespace ptxray::machine {

/// Calls `work`. Returns false if memory was exhausted; the objects that it used must then be discarded.
bool hasMemoryFor(llvm::function_ref<void()> work);

} // namespace ptxray::machine
