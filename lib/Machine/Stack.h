#pragma once
// Memory of a thread that `alloca` takes: it follows that of the frame of the function, up to the function's end.
#include "Machine/Lower.h"

namespace ptxray::machine {

// Named functions of formulas:
bool readStack(const Lowered &one, BodyLowering &lowering);
bool setStack(const Lowered &one, BodyLowering &lowering);
bool takeStack(const Lowered &one, BodyLowering &lowering);

} // namespace ptxray::machine
