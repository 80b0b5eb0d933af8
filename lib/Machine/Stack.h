#pragma once
// Memory that a thread allocates with `alloca`. This memory is stored after the function's frame, and is freed when the
// function returns.
#include "Machine/Lower.h"

namespace ptxray::machine {

// Handlers of named functions in formulas:
bool readStack(const Lowered &one, BodyLowering &lowering);
bool setStack(const Lowered &one, BodyLowering &lowering);
bool takeStack(const Lowered &one, BodyLowering &lowering);

} // namespace ptxray::machine
