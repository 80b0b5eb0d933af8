#pragma once
// Which files a `.ptxray` file means, as `.gitignore` writes it.
#include "llvm/ADT/StringRef.h"
#include <filesystem>
#include <string>
#include <vector>

namespace ptxray {

/// The same from wherever it is written; a name that is not a path stays as it is.
std::filesystem::path normalizedPath(llvm::StringRef path);

/// A pattern without a slash is the name of a file or folder anywhere below; one with a slash is a path from the folder
/// of the `.ptxray` file. What lies below a folder that matches, matches too. `*` stands for any characters.
class PathPatterns {
public:
  /// `build, vendor/*.ptx`: gives what is wrong with it, or nothing.
  std::string add(llvm::StringRef list);
  bool match(llvm::StringRef path) const;

private:
  std::vector<std::string> patterns;
};

} // namespace ptxray
