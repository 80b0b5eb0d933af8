#pragma once
// The PTX of binaries that ptxas or NVRTC made: who watches them stores each text under a name of what came of it, in
// the folder that $PTXRAY_REMEMBER names, and `ptxray record` finds it there when a program loads the binary.
#include <cstddef>
#include <string>

namespace ptxray::launcher {

/// Returns a name for these bytes and no others.
std::string nameOfBinary(const void *bytes, size_t size);
/// Returns the text of a binary of that name; empty: none is stored.
std::string rememberedText(const std::string &name);
/// Stores a text for a binary of that name, if the variable names a folder.
void rememberAs(const std::string &name, const std::string &text);
/// Stores the text of a file, if the variable names a folder. Files that cannot be read or written are passed over.
void remember(const std::string &textPath, const std::string &binaryPath);

} // namespace ptxray::launcher
