#pragma once
// One launch of a kernel on the emulated machine, and what came of it. Memory keeps its contents between launches.
#include "Emulate/LoadedModule.h"
#include "Machine/LaunchData.h"

namespace ptxray::machine {

Outcome launch(LoadedModule &module, const Launch &launch);
/// The bytes of shared memory and of parameters that a kernel declares.
struct KernelBytes {
  uint64_t shared = 0, parameters = 0;
};
/// `checks` as in launches of the kernel, which is lowered for them.
KernelBytes bytesOf(LoadedModule &module, llvm::StringRef kernel, bool checks = true);

} // namespace ptxray::machine
