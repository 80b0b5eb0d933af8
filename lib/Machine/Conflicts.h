#pragma once
// Accesses to shared memory whose lanes get in each other's way, and what would end that.
#include "Diagnostics/Diagnostic.h"
#include "Machine/Grid.h"

namespace ptxray::machine {

/// A warning for each instruction that takes more than twice the ideal number of passes, if that is counted.
DiagnosticList bankConflicts(const GridState &grid);

} // namespace ptxray::machine
