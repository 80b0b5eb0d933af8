#pragma once
// The command line of ptxray-run.
#include "Recording.h"

namespace ptxray::launcher {

/// A launch, and the other options of ptxray-run.
struct RunOptions : LaunchRequest {
  std::string image, log;
  std::string name; // name of the image in messages; empty to use its path
  bool help = false, probe = false, driverPath = false, validate = false, jit = false;
};

/// Parses and checks the command line, before any GPU is accessed.
Expected<RunOptions> readOptions(const std::vector<std::string_view> &words);
std::string usage();

} // namespace ptxray::launcher
