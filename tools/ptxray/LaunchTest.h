#pragma once
// A test of a reduction that launches kernels: the emulator and a GPU leave the same in memory, or they do not.
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace ptxray {

struct LaunchTest {
  std::vector<std::string> words; // of `ptxray run`: options, and the arguments of the kernel
  std::string ptxas;              // empty: as `ptxray run` finds it
  bool ofLevels = false;          // what ptxas makes at -O0 and at -O3 is compared, else -O3 and the emulator
  unsigned seconds = 0;           // that one run may take
};

/// Returns whether the answers differ. The emulator must run the kernel without a finding, and with the same result by
/// two schedules. Other files that are needed are written beside `file`.
bool answersDiffer(const LaunchTest &test, llvm::StringRef text, const std::string &file);
/// Says why nothing can be launched on a GPU. Returns an empty text if it can. `status` becomes the exit status.
std::string launchProblem(const LaunchTest &test, const std::string &file, int &status);

} // namespace ptxray
