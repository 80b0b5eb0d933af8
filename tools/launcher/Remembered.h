#pragma once
// Stores the PTX of binaries that ptxas or NVRTC compiled in the folder $PTXRAY_REMEMBER, named by a hash of the
// binary. `ptxray record` looks it up there when a program loads the binary.
#include <cstddef>
#include <string>

namespace ptxray::launcher {

/// Returns a unique name for these bytes.
std::string nameOfBinary(const void *bytes, size_t size);
/// Returns the PTX of a binary with that name; empty if none is stored.
std::string rememberedText(const std::string &name);
/// Stores the PTX of a binary with that name, if $PTXRAY_REMEMBER is set.
void rememberAs(const std::string &name, const std::string &text);
/// Stores the PTX in a file, if $PTXRAY_REMEMBER is set. Ignores files that cannot be read or written.
void remember(const std::string &textPath, const std::string &binaryPath);

} // namespace ptxray::launcher
