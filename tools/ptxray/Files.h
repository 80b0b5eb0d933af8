#pragma once
#include "llvm/ADT/StringRef.h"
#include <string>

namespace ptxray {

/// Replaces a file completely or not at all, keeps its mode, and follows a link to it; writes to what is no file, such
/// as a pipe. Returns what went wrong, or nothing.
std::string writeFile(const std::string &path, llvm::StringRef text);

/// Is true of a file, or where there is none; not of a pipe, a terminal, a folder.
bool canReplace(const std::string &path);

/// The path of this program.
std::string ownPath();

} // namespace ptxray
