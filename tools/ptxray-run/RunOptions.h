#pragma once
// The command line of ptxray-run.
#include "Recording.h"

namespace ptxray::launcher {

/// A launch, and what else ptxray-run is asked for.
struct RunOptions : LaunchRequest {
  std::string image, log;
  std::string name; // of the image in messages; empty: its path
  bool help = false, probe = false, driverPath = false, validate = false, jit = false;
};

/// Reads and checks everything, before any GPU is looked for.
Expected<RunOptions> readOptions(const std::vector<std::string_view> &words);
std::string usage();

} // namespace ptxray::launcher
