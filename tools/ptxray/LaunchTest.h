#pragma once
// A test for reductions that launches kernels. The test succeeds if the emulator and a GPU leave different results in
// memory, or if the emulator reports a fault.
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace ptxray {

struct LaunchTest {
  std::vector<std::string> words; // options and kernel arguments of `ptxray run`
  std::string ptxas;              // empty for the default of `ptxray run`
  bool ofLevels = false;          // compare the results of ptxas -O0 and -O3 instead of -O3 and the emulator
  std::string finding;  // a rule that the emulator must report, instead of a comparison; empty if there is none
  unsigned seconds = 0; // time limit per run
};

/// Returns the number of kernel arguments among the words of a launch.
unsigned argumentsIn(llvm::ArrayRef<std::string> words);
/// Returns the words without an argument, and without options that refer to it.
std::vector<std::string> withoutArgument(llvm::ArrayRef<std::string> words, unsigned number);

/// Returns whether the results differ, or the emulator reports the rule. For a comparison, the emulator must run the
/// kernel without findings. Its result must also be the same for two schedules, for different contents of uninitialised
/// registers and memory, and for different addresses of buffers. Writes temporary files next to `file`.
bool isInteresting(const LaunchTest &test, llvm::StringRef text, const std::string &file);
/// Returns why launches on a GPU or in the emulator are impossible, and sets `status` to the exit status. Returns an
/// empty string if they are possible.
std::string launchProblem(const LaunchTest &test, const std::string &file, int &status);

} // namespace ptxray
