#pragma once
// `ptxray run --emulate`.
#include "Assemble.h"
#include "Kernels.h"

namespace ptxray {

/// Launches a kernel of a checked input on the emulated machine. `words` are the command line of ptxray-run. Returns an
/// exit status.
int emulate(AssembleInput &input, const KernelEntry &kernel, const std::vector<std::string> &words,
            const Arguments &arguments);

} // namespace ptxray
