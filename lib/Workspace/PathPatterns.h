#pragma once
// Patterns for files, in the syntax of `.gitignore`.
#include "llvm/ADT/StringRef.h"
#include <filesystem>
#include <string>
#include <vector>

namespace ptxray {

/// Returns a path in normal form. A name that is not a path is returned unchanged.
std::filesystem::path normalizedPath(llvm::StringRef path);

/// A list of patterns. A pattern without a slash matches the name of a file or folder at any depth. A pattern with a
/// slash matches a path relative to the folder of the `.ptxray` file. Everything in a matching folder also matches. `*`
/// matches any characters.
class PathPatterns {
public:
  /// Adds comma-separated patterns, such as `build, vendor/*.ptx`. Returns the problem, or an empty string on success.
  std::string add(llvm::StringRef list);
  bool match(llvm::StringRef path) const;

private:
  std::vector<std::string> patterns;
};

} // namespace ptxray
