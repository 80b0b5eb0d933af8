#pragma once
#include "Diagnostics/Report.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace ptxray {

/// Applies all fixes that do not overlap; `made` counts them. With `unsafe`, fixes that are guesses are applied too.
std::string applyFixes(llvm::StringRef text, const DiagnosticList &diagnostics, bool unsafe, unsigned &made);

struct FixRounds {
  unsigned fixes = 0, rounds = 0;
};
/// Makes fixes and checks again until nothing is left to fix. A round that makes an error is dropped, and is the last.
/// `check` gives the report of what is found in its source.
FixRounds fixReport(FileReport &report, bool unsafe, llvm::function_ref<FileReport(FileReport)> check);

} // namespace ptxray
