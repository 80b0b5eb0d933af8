#pragma once
// The commands that call ptxas share these functions.
#include "Command.h"
#include "Ptxas/MemoryFile.h"
#include "Ptxas/Program.h"
#include "Reports.h"

namespace ptxray {

/// One input, held so that the checked bytes and those that ptxas reads are the same, even if the file changes
/// meanwhile.
struct AssembleInput {
  MemoryFile file;
  FileReport report;
  CheckOptions options;
  bool isSeparate = false; // an entry of a binary that was made to be linked

  /// Reads the input. Returns an exit status, after printing what is wrong.
  int read(llvm::StringRef path, const Arguments &arguments);
  void check() { report = Checker().check(std::move(report), Language::Ptx, options); }

private:
  void takeEntry(const Arguments &arguments, std::string &problem);
  void takeText(std::string &problem);
};

/// The options of the `.ptxray` that belongs to a file (for `-`, to the working folder), then those of the command
/// line. Another `.target` or `.version` in them is ignored: ptxas reads the file as it is.
std::optional<CheckOptions> findOptions(llvm::StringRef path, const Arguments &arguments, std::string &problem);

bool hasErrors(const FileReport &report);
void printReport(const FileReport &report, const Arguments &arguments);
/// Adds the output of ptxas to the diagnostics of a report. Returns whether ptxas refused the text itself.
bool addMessages(FileReport &report, const std::string &printed, const CheckOptions &options);

/// Has ptxas compile a checked input for a GPU, and prints its messages. Returns an exit status, Clean if there is an
/// object.
int assembleInput(AssembleInput &input, llvm::StringRef gpu, const Arguments &arguments, MemoryFile &object);

} // namespace ptxray
