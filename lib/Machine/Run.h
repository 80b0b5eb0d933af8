#pragma once
// Executes a warp.
#include "Machine/Warp.h"

namespace ptxray::machine {

/// Executes at most `blocks` code blocks. Returns early if no lane can run.
void run(Warp &warp, uint32_t blocks);

} // namespace ptxray::machine
