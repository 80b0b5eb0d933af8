#pragma once
#include "Source/Expected.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace ptxray {

/// The macros and folders of headers with which a source is compiled.
struct SourceCommand {
  std::vector<std::string> macros, folders;
};

/// Those of each source that a `compile_commands.json` names, by its whole path. `problem` says why there are none.
Expected<llvm::StringMap<SourceCommand>> readCompileCommands(llvm::StringRef path);

/// Returns the path with which a source is looked up.
std::string wholePath(llvm::StringRef path);

} // namespace ptxray
