#pragma once
// Sets check options by name, as on the command line, in a `.ptxray` file and in the library.
#include "Module/CheckOptions.h"

namespace ptxray {

/// Sets one option: target, ptx, arch, link, pedantic, werror, on, off, warning or error. Returns the problem, or an
/// empty string on success.
std::string setOption(CheckOptions &options, llvm::StringRef name, llvm::StringRef value);

/// Returns a message that no such target exists, with a suggestion.
std::string unknownTargetText(llvm::StringRef value);

} // namespace ptxray
