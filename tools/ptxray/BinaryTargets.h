#pragma once
#include "Binaries.h"

namespace ptxray {

/// Runs `ptxray targets` for binaries: prints the table, or with `--gpu` yes or no. Returns an exit status.
int runBinaryTargets(llvm::ArrayRef<std::unique_ptr<OpenBinary>> binaries, const Arguments &arguments);

} // namespace ptxray
