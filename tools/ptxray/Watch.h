#pragma once
#include "Inputs.h"

namespace ptxray {

/// Repeats the check whenever an input is saved, added or removed. Ends by a signal, or when standard output is closed.
int watch(llvm::function_ref<std::vector<Input>()> inputs, llvm::function_ref<int()> check);

} // namespace ptxray
