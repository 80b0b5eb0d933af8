#pragma once
#include "llvm/ADT/StringRef.h"
#include <string>

namespace ptxray {

struct Input;

/// Writes a file completely or not at all, preserving its mode and following links. Files with several names (hard
/// links) are written in place, as are pipes and similar. Files without write permission are not changed. Returns the
/// problem, or an empty string.
std::string writeFile(const std::string &path, llvm::StringRef text);
/// Writes the file of an input. If a link has replaced a file that was found in a folder, replaces the link instead of
/// following it.
std::string writeInput(const Input &input, llvm::StringRef text);

/// Returns whether a regular file is at the path, or nothing. Returns false for pipes, terminals and folders.
bool canReplace(const std::string &path);

/// Returns the path of this program.
std::string ownPath();

} // namespace ptxray
