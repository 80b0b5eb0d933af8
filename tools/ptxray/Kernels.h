#pragma once
// This chooses the kernel of a module that is launched, and reads the arguments for its parameters.
#include "Machine/Kernels.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace ptxray {

using machine::KernelEntry;

/// Returns the kernel that is named, or the only one. Returns what is wrong, or an empty text.
std::string chooseKernel(const Ast &ast, std::optional<llvm::StringRef> named, KernelEntry &chosen);

/// Adds types to arguments: `7` becomes `u32=7`; an argument that names its type is kept. Returns what is wrong, or an
/// empty text.
std::string typedArguments(const KernelEntry &entry, llvm::ArrayRef<llvm::StringRef> written,
                           std::vector<std::string> &out);

} // namespace ptxray
