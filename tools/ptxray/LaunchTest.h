#pragma once
// A test of a reduction that launches kernels: the emulator and a GPU leave the same in memory or not, or the emulator
// reports a fault.
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace ptxray {

struct LaunchTest {
  std::vector<std::string> words; // of `ptxray run`: options, and the arguments of the kernel
  std::string ptxas;              // empty: as `ptxray run` finds it
  bool ofLevels = false;          // what ptxas makes at -O0 and at -O3 is compared, else -O3 and the emulator
  std::string finding;            // a rule that the emulator is to report, in place of this; empty: there is none
  unsigned seconds = 0;           // that one run may take
};

/// Returns the number of arguments of the kernel among the words of a launch.
unsigned argumentsIn(llvm::ArrayRef<std::string> words);
/// Returns the words without an argument, and without what is asked about it.
std::vector<std::string> withoutArgument(llvm::ArrayRef<std::string> words, unsigned number);

/// Returns whether the answers differ, or the emulator reports the rule. To compare answers, the emulator must run the
/// kernel without a finding, and with the same result by two schedules, whatever is in registers and memory that
/// nothing has written and wherever the buffers are. Other files that are needed are written beside `file`.
bool isInteresting(const LaunchTest &test, llvm::StringRef text, const std::string &file);
/// Says why nothing can be launched on a GPU, or emulated. Returns an empty text if it can. `status` becomes the exit
/// status.
std::string launchProblem(const LaunchTest &test, const std::string &file, int &status);

} // namespace ptxray
