#pragma once
#include "Binaries.h"

namespace ptxray {

/// Runs `ptxray targets` for binaries: prints the table, or yes or no with `--gpu`. Returns an exit status.
int runBinaryTargets(llvm::ArrayRef<std::unique_ptr<OpenBinary>> binaries, const Arguments &arguments);

} // namespace ptxray
