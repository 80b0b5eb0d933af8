#pragma once
// Why no thread of a launch can go on.
#include "Machine/Grid.h"

namespace ptxray::machine {

/// What threads of the first block that hangs wait at, and what is missing there.
DiagnosticList explainHang(const GridState &grid, llvm::ArrayRef<BlockState *> blocks);

} // namespace ptxray::machine
