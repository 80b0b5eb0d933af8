#pragma once
// A text that is checked before ptxas assembles it, or before a kernel of it is launched.
#include "Command.h"
#include "Reports.h"

namespace ptxray {

struct ModuleInput {
  FileReport report;
  CheckOptions options;
  bool isSeparate = false; // an entry of a binary that was made to be linked

  /// Reads an input that is to be emulated. Returns an exit status, after printing what is wrong.
  int read(llvm::StringRef path, const Arguments &arguments);
  void check() { report = Checker().check(std::move(report), Language::Ptx, options); }

protected:
  /// The options of the input, and its name in the report.
  int readOptions(llvm::StringRef path, const Arguments &arguments);
  int refuseUnreadable(const std::string &problem, const Arguments &arguments);
};

/// The options of the `.ptxray` that belongs to a file (for `-`, to the working folder), then those of the command
/// line. Another `.target` or `.version` in them is ignored: the file is read as it is.
Expected<CheckOptions> findOptions(llvm::StringRef path, const Arguments &arguments);

bool hasErrors(const FileReport &report);
void printReport(const FileReport &report, const Arguments &arguments);

} // namespace ptxray
