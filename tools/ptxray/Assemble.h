#pragma once
// Functions that the commands calling ptxas share.
#include "ModuleInput.h"
#include "Ptxas/MemoryFile.h"
#include "Ptxas/Program.h"

namespace ptxray {

/// One input in memory, so that ptxray and ptxas read the same bytes even if the file changes.
struct AssembleInput : ModuleInput {
  MemoryFile file;

  /// Reads the input. Prints the problem, if any, and returns an exit status.
  int read(llvm::StringRef path, const Arguments &arguments);

private:
  std::string take(llvm::StringRef text);
  std::string takeEntry(const Arguments &arguments);
  std::string takeText();
};

/// Adds the output of ptxas to the diagnostics of a report. Returns whether ptxas rejected the PTX source.
bool addMessages(FileReport &report, const std::string &printed, const CheckOptions &options);

/// Compiles a checked input for a GPU with ptxas, and prints its messages. Returns an exit status, which is Clean if
/// there is an object.
int assembleInput(AssembleInput &input, llvm::StringRef gpu, const Arguments &arguments, MemoryFile &object);

} // namespace ptxray
