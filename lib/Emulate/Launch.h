#pragma once
// Launches a kernel on the emulated machine and returns the outcome. Memory keeps its contents between launches.
#include "Emulate/LoadedModule.h"
#include "Machine/LaunchData.h"

namespace ptxray::machine {

Outcome launch(LoadedModule &module, const Launch &launch);
/// The sizes of shared memory and parameters that a kernel declares, in bytes.
struct KernelBytes {
  uint64_t shared = 0, parameters = 0;
};
/// Returns the sizes for a kernel that is lowered with or without `checks`.
KernelBytes bytesOf(LoadedModule &module, llvm::StringRef kernel, bool checks = true);

} // namespace ptxray::machine
