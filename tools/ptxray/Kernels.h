#pragma once
// Selects the kernel of a module to launch, and parses the arguments for its parameters.
#include "Machine/Kernels.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace ptxray {

using machine::KernelEntry;

/// Selects the named kernel, or the only one. Returns the problem, or an empty string.
std::string chooseKernel(const Ast &ast, std::optional<llvm::StringRef> named, KernelEntry &chosen);

/// Adds types to arguments: `7` becomes `u32=7`. Arguments with a type are unchanged. Returns the problem, or an empty
/// string.
std::string typedArguments(const KernelEntry &entry, llvm::ArrayRef<llvm::StringRef> written,
                           std::vector<std::string> &out);

/// Returns a command that launches a kernel of a file, with an argument for each parameter.
std::string exampleLaunch(const KernelEntry &entry, llvm::StringRef path);

} // namespace ptxray
