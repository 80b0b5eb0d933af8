#pragma once
// What the commands that call ptxas share.
#include "Command.h"
#include "Ptxas/Program.h"
#include "Reports.h"

namespace ptxray {

/// One input, held so that what is checked and what ptxas reads are the same bytes, whatever
/// becomes of the file meanwhile.
struct AssembleInput {
  MemoryFile file;
  FileReport report;
  bool read(llvm::StringRef path); // false: the report says why not
};

bool hasErrors(const FileReport &report);
void printReport(const FileReport &report, const Arguments &arguments);
/// Adds what ptxas printed to the diagnostics of a report.
void addMessages(FileReport &report, const std::string &printed, bool werror);

/// Has ptxas compile a checked input for a GPU, and prints what it says. An exit status; Clean with
/// the object.
int assembleInput(AssembleInput &input, llvm::StringRef gpu, const Arguments &arguments,
                  MemoryFile &object);

} // namespace ptxray
