#pragma once
// The options of a check by name, as they are written on the command line, in a `.ptxray` file and by users of the
// library.
#include "Module/CheckOptions.h"

namespace ptxray {

/// Sets one option: target, ptx, arch, link, pedantic, werror, on, off, warning or error. Returns what is wrong, or
/// nothing.
std::string setOption(CheckOptions &options, llvm::StringRef name, llvm::StringRef value);

/// Says that no table has a target of this name, and which one may be meant.
std::string unknownTargetText(llvm::StringRef value);

} // namespace ptxray
