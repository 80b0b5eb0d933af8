#pragma once
#include "Inputs.h"
#include "Workspace/Config.h"
#include "llvm/Support/raw_ostream.h"

namespace ptxray {

/// Prints the settings that hold for the inputs as a `.ptxray` file has them, and where each was written. Gives what is
/// wrong with one of these files, or nothing.
std::string showConfig(llvm::ArrayRef<Input> inputs, llvm::StringRef stdinName, Configuration &configuration,
                       llvm::raw_ostream &out);

} // namespace ptxray
