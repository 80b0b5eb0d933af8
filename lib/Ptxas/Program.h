#pragma once
// Running another program: no shell, what it prints, a time limit, and signals passed on.
#include "llvm/ADT/ArrayRef.h"
#include <string>

namespace ptxray {

enum class ProgramEnd {
  NotStarted,  // `detail` is an errno
  Exited,      // an exit status
  Killed,      // a signal
  TimedOut,    // killed when the time was over
  Interrupted, // a signal that this program got and passed on
};

struct ProgramResult {
  ProgramEnd end = ProgramEnd::NotStarted;
  int detail = 0;
  std::string printed; // standard output and standard error, in the order they came
  bool isCut = false;  // it printed more than is kept
};

/// More of what a program prints is read and forgotten.
inline constexpr size_t mostPrinted = 64 << 20;

/// Standard input of the program is empty. What it started and left running is ended with it, or no longer listened to.
/// `seconds`: 0 means no limit. SIGINT, SIGTERM and SIGHUP
/// that come meanwhile are passed on to it.
ProgramResult runProgram(const std::string &path, llvm::ArrayRef<std::string> arguments, unsigned seconds);

/// In the same process group and with the standard files of this program; what it prints as errors goes on as it comes,
/// and is all that the result keeps.
ProgramResult runInPlace(const std::string &path, llvm::ArrayRef<std::string> arguments);

} // namespace ptxray
