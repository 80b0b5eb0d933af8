#pragma once
// A file in memory: the checked bytes and those that ptxas reads are the same, and an output is written completely or
// not at all.
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>
#include <utility>

namespace ptxray {

/// A nameless file in memory. It disappears when the last program that has it open ends, however it ends. Where a
/// function returns a text, it says what went wrong; nothing did if it is empty.
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
  /// Copies a file (`-`: standard input) into it; it is immutable afterwards.
  std::string fill(llvm::StringRef path, Ending ending);
  std::string hold(llvm::StringRef text);
  /// Writes its contents to a file. A regular file with a single name is written under another name and renamed, so
  /// that readers never see half of it; links are followed first. Anything else is written in place.
  std::string copyTo(llvm::StringRef path) const;
  std::string beginning(size_t bytes) const;
  uint64_t size() const;
  /// Returns false if the file ends before that.
  bool read(uint64_t offset, void *to, size_t bytes) const;
  /// Returns a path under which this program and its children can open it.
  std::string path() const;

private:
  int fd = -1;
};

} // namespace ptxray
