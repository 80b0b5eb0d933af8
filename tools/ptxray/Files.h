#pragma once
#include "llvm/ADT/StringRef.h"
#include <string>

namespace ptxray {

struct Input;

/// Writes a file completely or not at all, keeps its mode, and follows a link to it. A file of several names (hard
/// links) is written in place, and so is what is no file, such as a pipe. A file without permission to write is left
/// alone. Returns what went wrong, or nothing.
std::string writeFile(const std::string &path, llvm::StringRef text);
/// Writes the file of an input. Replaces a link, and does not follow it, that has taken the place of a file which was
/// found below a folder.
std::string writeInput(const Input &input, llvm::StringRef text);

/// Is true of a file, or where there is none; not of a pipe, a terminal, a folder.
bool canReplace(const std::string &path);

/// Returns the path of this program.
std::string ownPath();

} // namespace ptxray
