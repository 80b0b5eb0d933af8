#pragma once
// `ptxray run`, with and without a GPU.
#include "Kernels.h"
#include "ModuleInput.h"

namespace ptxray {

/// The kernel to launch, and its typed arguments.
struct ChosenLaunch {
  KernelEntry entry;
  std::vector<std::string> arguments; // empty to use those of a recording
};
/// Selects the kernel of a checked module. Prints the problem, if any, and returns an exit status.
int chooseLaunch(const Arguments &arguments, const ModuleInput &input, ChosenLaunch &chosen);

/// Returns the options of `ptxray run`.
std::vector<Option> runOptions();
/// Launches a kernel on the emulator. Returns an exit status.
int runEmulated(const Arguments &arguments);

/// Launches a kernel on a GPU. Returns an exit status.
int runOnGpu(const Arguments &arguments);

} // namespace ptxray
