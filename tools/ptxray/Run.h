#pragma once
// `ptxray run`, with and without a GPU.
#include "Kernels.h"
#include "ModuleInput.h"

namespace ptxray {

/// The command line of ptxray-run.
struct LaunchWords {
  std::vector<std::string> options;
  std::vector<std::string> values;

  std::vector<std::string> arguments(const std::string &image, llvm::ArrayRef<std::string> more = {}) const;
};
/// The options that both programs have.
LaunchWords sharedWords(const Arguments &arguments);
/// Chooses the kernel, and adds it with its arguments to the command line. Returns an exit status.
int chooseLaunch(const Arguments &arguments, const ModuleInput &input, KernelEntry &entry, LaunchWords &words);

/// The options of `ptxray run`.
std::vector<Option> runOptions();
/// Launches on the emulated machine. Returns an exit status.
int runEmulated(const Arguments &arguments);

/// The path of ptxray-run: $PTXRAY_RUN, else next to this program, else in the build folder. Empty: it is missing.
std::string launcherPath();
/// Runs a kernel on a GPU. Returns an exit status.
int runOnGpu(const Arguments &arguments);

} // namespace ptxray
