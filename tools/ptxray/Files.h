#pragma once
#include "llvm/ADT/StringRef.h"
#include <string>

namespace ptxray {

/// Replaces a file completely or not at all, keeps its mode, and follows a link to it. Returns what went wrong, or
/// nothing.
std::string writeFile(const std::string &path, llvm::StringRef text);

/// The path of this program.
std::string ownPath();

} // namespace ptxray
