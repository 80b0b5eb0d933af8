#pragma once
// Runs another program without a shell. Collects its output, enforces a time limit, and forwards signals.
#include "llvm/ADT/ArrayRef.h"
#include <string>

namespace ptxray {

enum class ProgramEnd {
  NotStarted,  // `detail` is an errno
  Exited,      // `detail` is the exit status
  Killed,      // `detail` is the signal
  TimedOut,    // killed after the time limit
  Interrupted, // a signal was received and forwarded
};

struct ProgramResult {
  ProgramEnd end = ProgramEnd::NotStarted;
  int detail = 0;
  std::string printed; // standard output and standard error, interleaved
  bool isCut = false;  // the output was longer than `mostPrinted`
};

/// Maximum size of the collected output. Further output is discarded.
inline constexpr size_t mostPrinted = 64 << 20;

/// While an object exists, signals that would end this process are recorded instead.
class SignalWatch {
public:
  SignalWatch();
  ~SignalWatch();
  SignalWatch(const SignalWatch &) = delete;
  SignalWatch &operator=(const SignalWatch &) = delete;
  /// Returns the signal that was received while an object existed, or 0.
  static int caught();
};

/// Runs a program with empty standard input, and waits for it. Processes that it leaves running are terminated with it,
/// or their output is ignored. If `seconds` is 0, there is no time limit. SIGINT, SIGTERM and SIGHUP are forwarded.
/// Thread-safe.
ProgramResult runProgram(const std::string &path, llvm::ArrayRef<std::string> arguments, unsigned seconds);

/// Runs a program in this process group, with this process's standard files. Its standard error is forwarded as it
/// arrives; the result contains only that.
ProgramResult runInPlace(const std::string &path, llvm::ArrayRef<std::string> arguments);

} // namespace ptxray
