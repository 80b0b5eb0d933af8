#pragma once
#include "Inputs.h"
#include "Workspace/Config.h"
#include "llvm/Support/raw_ostream.h"

namespace ptxray {

/// Prints the settings for the inputs in the format of a `.ptxray` file, and where each is written. Returns the problem
/// with one of these files, or an empty string.
std::string showConfig(llvm::ArrayRef<Input> inputs, llvm::StringRef stdinName, Configuration &configuration,
                       llvm::raw_ostream &out);

} // namespace ptxray
