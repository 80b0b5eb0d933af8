#pragma once
// Reports bank conflicts of shared memory accesses, and changes that avoid them.
#include "Diagnostics/Diagnostic.h"
#include "Machine/Counts.h"
#include "Machine/Program.h"
#include <map>

namespace ptxray::machine {

/// Returns a warning for each instruction that takes more than twice the ideal number of passes. `counts` is indexed by
/// function, and `worst` is keyed by function and instruction.
DiagnosticList bankConflicts(const Program &program, llvm::ArrayRef<FunctionCounts> counts,
                             const std::map<std::pair<uint32_t, uint32_t>, WorstAccess> &worst);

} // namespace ptxray::machine
