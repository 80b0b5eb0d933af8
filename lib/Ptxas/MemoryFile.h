#pragma once
// A file in memory. It ensures that ptxray and ptxas read the same bytes, and that an output is written completely or
// not at all.
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>
#include <utility>

namespace ptxray {

/// An unnamed file in memory, which disappears when the last process that has it open ends. Functions that return a
/// text return the problem, or an empty string on success.
class MemoryFile {
public:
  MemoryFile() = default;
  MemoryFile(MemoryFile &&other) noexcept : fd(std::exchange(other.fd, -1)) {}
  MemoryFile &operator=(MemoryFile &&other) noexcept {
    std::swap(fd, other.fd);
    return *this;
  }
  ~MemoryFile();

  std::string create();
  enum class Ending { Kept, WithoutZeros };
  /// Copies a file into memory (`-` is standard input). The copy is immutable.
  std::string fill(llvm::StringRef path, Ending ending);
  std::string hold(llvm::StringRef text);
  /// Writes the contents to a file. A regular file with a single name is written under a temporary name and renamed, so
  /// that readers never see a partial file. Links are followed first. Anything else is written in place.
  std::string copyTo(llvm::StringRef path) const;
  std::string beginning(size_t bytes) const;
  uint64_t size() const;
  /// Returns false if the file ends before the requested bytes.
  bool read(uint64_t offset, void *to, size_t bytes) const;
  /// Returns a path under which this process and its children can open the file.
  std::string path() const;

private:
  int fd = -1;
};

} // namespace ptxray
