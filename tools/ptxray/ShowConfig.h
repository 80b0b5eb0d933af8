#pragma once
#include "Inputs.h"
#include "Workspace/Config.h"
#include "llvm/Support/raw_ostream.h"

namespace ptxray {

/// Prints the settings for the inputs in the form of a `.ptxray` file, with the place where each was written. Returns
/// what is wrong with one of these files, or nothing.
std::string showConfig(llvm::ArrayRef<Input> inputs, llvm::StringRef stdinName, Configuration &configuration,
                       llvm::raw_ostream &out);

} // namespace ptxray
