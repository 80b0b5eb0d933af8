#pragma once
#include "Binaries.h"

namespace ptxray {

/// `ptxray targets` of binaries: the table, or with `--gpu` yes or no. An exit status.
int runBinaryTargets(llvm::ArrayRef<std::unique_ptr<OpenBinary>> binaries, const Arguments &arguments);

} // namespace ptxray
