#pragma once
// The commands that call ptxas share these functions.
#include "ModuleInput.h"
#include "Ptxas/MemoryFile.h"
#include "Ptxas/Program.h"

namespace ptxray {

/// One input, held so that the checked bytes and those that ptxas reads are the same, even if the file changes
/// meanwhile.
struct AssembleInput : ModuleInput {
  MemoryFile file;

  /// Reads the input. Returns an exit status, after printing what is wrong.
  int read(llvm::StringRef path, const Arguments &arguments);

private:
  std::string take(llvm::StringRef text);
  std::string takeEntry(const Arguments &arguments);
  std::string takeText();
};

/// Adds the output of ptxas to the diagnostics of a report. Returns whether ptxas refused the text itself.
bool addMessages(FileReport &report, const std::string &printed, const CheckOptions &options);

/// Has ptxas compile a checked input for a GPU, and prints its messages. Returns an exit status, Clean if there is an
/// object.
int assembleInput(AssembleInput &input, llvm::StringRef gpu, const Arguments &arguments, MemoryFile &object);

} // namespace ptxray
