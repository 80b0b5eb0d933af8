#pragma once
// A PTX module that is checked before ptxas assembles it, or before one of its kernels is launched.
#include "../launcher/Recording.h"
#include "Check/CheckModule.h"
#include "Command.h"
#include "Reports.h"

namespace ptxray {

struct ModuleInput {
  FileReport report;
  CheckOptions options;
  std::optional<ReadModule> module;            // set once it is checked for a launch
  bool isSeparate = false;                     // an entry of a binary that was compiled for linking
  std::optional<launcher::Recording> recorded; // the launch that contains the module
  std::string recording;                       // file of `ptxray record` that contains it; empty if none does

  /// Reads an input for emulation. Prints the problem, if any, and returns an exit status.
  int read(llvm::StringRef path, const Arguments &arguments);
  void check() { report = Checker().check(std::move(report), Language::Ptx, options); }
  /// Checks the input and keeps the module.
  void checkAndKeep();

protected:
  /// Determines the options of the input, and its name in the report.
  int readOptions(llvm::StringRef path, const Arguments &arguments);
  /// Reads the PTX of a recording, or the file of `--ptx` instead.
  int readRecorded(llvm::StringRef path, const Arguments &arguments);
  int refuseUnreadable(const std::string &problem, const Arguments &arguments);
};

/// Returns the GPU for which to compile the module: the module's own target if it is compatible with the current GPU,
/// because it may be architecture-specific; otherwise the current GPU.
std::string targetFor(llvm::StringRef moduleTarget, llvm::StringRef gpu);

/// Returns the options of the `.ptxray` for a file (for `-`, of the working folder), followed by those of the command
/// line. Ignores options that change `.target` or `.version`, because the file is used unchanged.
Expected<CheckOptions> findOptions(llvm::StringRef path, const Arguments &arguments);

bool hasErrors(const FileReport &report);
void printReport(const FileReport &report, const Arguments &arguments);

} // namespace ptxray
