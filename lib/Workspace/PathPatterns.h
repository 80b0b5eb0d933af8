#pragma once
// Patterns that select files, written as in `.gitignore`.
#include "llvm/ADT/StringRef.h"
#include <filesystem>
#include <string>
#include <vector>

namespace ptxray {

/// Returns a path in one spelling, however it is written. A name that is not a path is returned unchanged.
std::filesystem::path normalizedPath(llvm::StringRef path);

/// A pattern without a slash matches the name of a file or folder at any depth; one with a slash matches a path from
/// the folder of the `.ptxray` file. Everything below a matching folder matches too. `*` stands for any characters.
class PathPatterns {
public:
  /// Adds patterns separated by commas, `build, vendor/*.ptx`. Returns what is wrong, or nothing.
  std::string add(llvm::StringRef list);
  bool match(llvm::StringRef path) const;

private:
  std::vector<std::string> patterns;
};

} // namespace ptxray
