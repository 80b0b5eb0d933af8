#pragma once
// The options of a check by name, as the command line, a `.ptxray` file and the library's users write them.
#include "Module/CheckOptions.h"

namespace ptxray {

/// Sets one: target, ptx, arch, link, pedantic, werror, on, off, warning, error. Gives what is wrong, or nothing.
std::string setOption(CheckOptions &options, llvm::StringRef name, llvm::StringRef value);

} // namespace ptxray
