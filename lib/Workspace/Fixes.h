#pragma once
#include "Diagnostics/Report.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace ptxray {

/// The text with the fixes made, as many as do not overlap; `made` counts them. With `unsafe` also those
/// that are a guess.
std::string applyFixes(llvm::StringRef text, const DiagnosticList &diagnostics, bool unsafe, unsigned &made);

struct FixRounds {
  unsigned fixes = 0, rounds = 0;
};
/// Makes fixes and checks again until nothing is left to fix. A round that makes an error is dropped, and is the last.
/// `check` fills a report with what is found in its text.
FixRounds fixReport(FileReport &report, bool unsafe, llvm::function_ref<void(FileReport &)> check);

} // namespace ptxray
