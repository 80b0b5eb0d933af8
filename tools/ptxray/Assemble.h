#pragma once
// What the commands that call ptxas share.
#include "Command.h"
#include "Ptxas/MemoryFile.h"
#include "Ptxas/Program.h"
#include "Reports.h"

namespace ptxray {

/// One input, held so that what is checked and what ptxas reads are the same bytes, whatever
/// becomes of the file meanwhile.
struct AssembleInput {
  MemoryFile file;
  FileReport report;
  CheckOptions options;
  bool isSeparate = false; // an entry of a binary that was made to be linked

  /// An exit status; what is wrong has been printed.
  int read(llvm::StringRef path, const Arguments &arguments);
  void check() { report = Checker().check(std::move(report), Language::Ptx, options); }

private:
  void takeEntry(const Arguments &arguments, std::string &problem);
  void takeText(std::string &problem);
};

/// The options of the `.ptxray` that belongs to a file (`-`: the working folder), then those of the
/// command line. What they say of another `.target` or `.version` does not count: ptxas reads the
/// file as it is.
std::optional<CheckOptions> findOptions(llvm::StringRef path, const Arguments &arguments, std::string &problem);

bool hasErrors(const FileReport &report);
void printReport(const FileReport &report, const Arguments &arguments);
/// Adds what ptxas printed to the diagnostics of a report.
/// Whether ptxas refused the text itself is the answer.
bool addMessages(FileReport &report, const std::string &printed, const CheckOptions &options);

/// Has ptxas compile a checked input for a GPU, and prints what it says. An exit status; Clean with
/// the object.
int assembleInput(AssembleInput &input, llvm::StringRef gpu, const Arguments &arguments, MemoryFile &object);

} // namespace ptxray
