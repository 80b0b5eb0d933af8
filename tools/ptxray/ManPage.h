#pragma once
#include "Command.h"

namespace ptxray {

/// Returns the text with each of these characters replaced.
std::string replaced(llvm::StringRef text, llvm::ArrayRef<std::pair<char, llvm::StringRef>> escapes);

/// Prints the page of `ptxray generate man`.
void generateMan(llvm::ArrayRef<Command> commands, llvm::raw_ostream &out);

} // namespace ptxray
