#pragma once
// A text that is checked before ptxas assembles it, or before a kernel of it is launched.
#include "../launcher/Recording.h"
#include "Check/CheckModule.h"
#include "Command.h"
#include "Reports.h"

namespace ptxray {

struct ModuleInput {
  FileReport report;
  CheckOptions options;
  std::optional<ReadModule> module;            // once it is checked to be launched
  bool isSeparate = false;                     // an entry of a binary that was made to be linked
  std::optional<launcher::Recording> recorded; // the launch that the text is from
  std::string recording;                       // the file of `ptxray record` that has it; empty: none

  /// Reads an input that is to be emulated. Returns an exit status, after printing what is wrong.
  int read(llvm::StringRef path, const Arguments &arguments);
  void check() { report = Checker().check(std::move(report), Language::Ptx, options); }
  /// Checks it and keeps the module.
  void checkAndKeep();

protected:
  /// Returns the options of the input, and its name in the report.
  int readOptions(llvm::StringRef path, const Arguments &arguments);
  /// Reads the PTX of a recording, or the one that `--ptx` names in its place.
  int readRecorded(llvm::StringRef path, const Arguments &arguments);
  int refuseUnreadable(const std::string &problem, const Arguments &arguments);
};

/// Returns the GPU that the module is compiled for: the module's own target if it fits the present GPU, since only that
/// may be an architecture-specific one.
std::string targetFor(llvm::StringRef moduleTarget, llvm::StringRef gpu);

/// Returns the options of the `.ptxray` that belongs to a file (for `-`, to the working folder), then those of the
/// command line. Another `.target` or `.version` in them is ignored: the file is read as it is.
Expected<CheckOptions> findOptions(llvm::StringRef path, const Arguments &arguments);

bool hasErrors(const FileReport &report);
void printReport(const FileReport &report, const Arguments &arguments);

} // namespace ptxray
