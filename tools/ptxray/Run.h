#pragma once
// `ptxray run`, with and without a GPU.
#include "Kernels.h"
#include "ModuleInput.h"

namespace ptxray {

/// The kernel that is launched, and its arguments with their types.
struct ChosenLaunch {
  KernelEntry entry;
  std::vector<std::string> arguments; // none: those of a recording
};
/// Chooses the kernel of a module that is checked. Returns an exit status, after printing what is wrong.
int chooseLaunch(const Arguments &arguments, const ModuleInput &input, ChosenLaunch &chosen);

/// Returns the options of `ptxray run`.
std::vector<Option> runOptions();
/// Launches on the emulated machine. Returns an exit status.
int runEmulated(const Arguments &arguments);

/// Returns the path of ptxray-run: $PTXRAY_RUN, else next to this program, else in the build folder. Empty: it is
/// missing.
std::string launcherPath();
/// Runs a kernel on a GPU. Returns an exit status.
int runOnGpu(const Arguments &arguments);

} // namespace ptxray
