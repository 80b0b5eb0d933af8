#pragma once
// Runs another program: without a shell, collecting its output, with a time limit, and passing signals on.
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

/// Output beyond this is read and discarded.
inline constexpr size_t mostPrinted = 64 << 20;

/// While one lives, a signal that ends a program is noted in place of ending this one.
class SignalWatch {
public:
  SignalWatch();
  ~SignalWatch();
  SignalWatch(const SignalWatch &) = delete;
  SignalWatch &operator=(const SignalWatch &) = delete;
  /// Returns the signal that came since there was none of these; 0: none did.
  static int caught();
};

/// Several threads may run programs at once. The standard input of the program is empty. Processes that it leaves
/// running are ended with it, or no longer listened to. If `seconds` is 0, there is no limit. SIGINT, SIGTERM and
/// SIGHUP are passed on to it.
ProgramResult runProgram(const std::string &path, llvm::ArrayRef<std::string> arguments, unsigned seconds);

/// Runs it in this process group, with this program's standard files. Its standard error is passed on as it arrives,
/// and is all that the result keeps.
ProgramResult runInPlace(const std::string &path, llvm::ArrayRef<std::string> arguments);

} // namespace ptxray
