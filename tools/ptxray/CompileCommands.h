#pragma once
#include "Source/Expected.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace ptxray {

/// The macros and include folders with which a source is compiled.
struct SourceCommand {
  std::vector<std::string> macros, folders;
};

/// Returns the compile commands in a `compile_commands.json`, by absolute path of the source, or the problem.
Expected<llvm::StringMap<SourceCommand>> readCompileCommands(llvm::StringRef path);

/// Returns the path under which a source is looked up.
std::string wholePath(llvm::StringRef path);

} // namespace ptxray
