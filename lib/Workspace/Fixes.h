#pragma once
#include "Diagnostics/Report.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace ptxray {

/// Applies all fixes that do not overlap, and counts them in `made`. If `unsafe` is set, also applies fixes that are
/// guesses.
std::string applyFixes(llvm::StringRef text, const DiagnosticList &diagnostics, bool unsafe, unsigned &made);

struct FixRounds {
  unsigned fixes = 0, rounds = 0;
};
/// Applies fixes and checks again until no fixes remain. If a round causes an error, undoes the round and stops.
/// `check` returns the report with the findings in its source.
FixRounds fixReport(FileReport &report, bool unsafe, llvm::function_ref<FileReport(FileReport)> check);

} // namespace ptxray
