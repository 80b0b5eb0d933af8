#pragma once
// Running another program: no shell, all that it prints, a time limit, and signals passed on.
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <utility>

namespace ptxray {

/// A file without a name, in memory. Nothing is left of it when the last program that has it open
/// ends, however it ends.
class MemoryFile {
public:
  MemoryFile() = default;
  MemoryFile(MemoryFile &&other) : fd(std::exchange(other.fd, -1)) {}
  MemoryFile &operator=(MemoryFile &&other) {
    std::swap(fd, other.fd);
    return *this;
  }
  ~MemoryFile();

  bool create(std::string &reason);
  enum class Ending { Kept, WithoutZeros };
  /// Copies a file (`-`: standard input) into it; nobody can change it afterwards.
  bool fill(llvm::StringRef path, Ending ending, std::string &reason);
  bool hold(llvm::StringRef text, std::string &reason);
  /// Writes what it holds to a file: beside it and renamed, so that no reader sees half of it.
  bool copyTo(llvm::StringRef path, std::string &reason) const;
  std::string beginning(size_t bytes) const;
  /// A path at which this program and those it starts can open it.
  std::string path() const;

private:
  int fd = -1;
};

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
};

/// Standard input of the program is empty. `seconds`: 0 is no limit. SIGINT, SIGTERM and SIGHUP
/// that come meanwhile are passed on to it.
ProgramResult runProgram(const std::string &path, llvm::ArrayRef<std::string> arguments, unsigned seconds);

} // namespace ptxray
