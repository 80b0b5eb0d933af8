#pragma once
// The execution of a warp.
#include "Machine/Warp.h"

namespace ptxray::machine {

/// Executes until the lanes wait, end, or have executed that many blocks of code.
void run(Warp &warp, uint32_t blocks);

} // namespace ptxray::machine
