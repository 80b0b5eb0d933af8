#pragma once
// A file in memory: what is checked and what ptxas reads are the same bytes, and an output is written whole or not at
// all.
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>
#include <utility>

namespace ptxray {

/// A file without a name, in memory. Nothing is left of it when the last program that has it open
/// ends, however it ends.
class MemoryFile {
public:
  MemoryFile() = default;
  MemoryFile(MemoryFile &&other) noexcept : fd(std::exchange(other.fd, -1)) {}
  MemoryFile &operator=(MemoryFile &&other) noexcept {
    std::swap(fd, other.fd);
    return *this;
  }
  ~MemoryFile();

  bool create(std::string &reason);
  enum class Ending { Kept, WithoutZeros };
  /// Copies a file (`-`: standard input) into it; nobody can change it afterwards.
  bool fill(llvm::StringRef path, Ending ending, std::string &reason);
  bool hold(llvm::StringRef text, std::string &reason);
  /// Writes what it holds to a file. A file of its own is written beside its place and renamed, so that no reader sees
  /// half of it; links are followed first. What has other names, or is not a regular file, is written in place.
  bool copyTo(llvm::StringRef path, std::string &reason) const;
  std::string beginning(size_t bytes) const;
  uint64_t size() const;
  /// False when the file ends before.
  bool read(uint64_t offset, void *to, size_t bytes) const;
  /// A path at which this program and those it starts can open it.
  std::string path() const;

private:
  int fd = -1;
};

} // namespace ptxray
