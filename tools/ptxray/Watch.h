#pragma once
#include "Inputs.h"

namespace ptxray {

/// Checks again and again, each time that an input was saved, added or removed. It ends by a signal, or where standard
/// output is closed.
int watch(llvm::function_ref<std::vector<Input>()> inputs, llvm::function_ref<int()> check);

} // namespace ptxray
