#pragma once
// Applies the options to the findings, and comments in the source that suppress rules: `// ptxray: ignore RULE, ...`
// for one line, `// ptxray: ignore-function RULE, ...` for one function.
#include "Check/CheckModule.h"

namespace ptxray {

/// Returns the instruction to ptxray in a comment, such as `ignore unused-label`.
llvm::StringRef remarkIn(llvm::StringRef comment);

/// Returns the line whose diagnostics an `ignore` comment suppresses. If the line contains only the comment, this is
/// the next line with code.
Range lineSilencedBy(const SourceBuffer &source, Range comment);

/// Returns whether the options enable a diagnostic; sets its severity.
bool isWanted(Diagnostic &diagnostic, const CheckOptions &options);

/// Returns the findings sorted by location, without those that comments or options suppress. Adds reports about
/// comments that suppress nothing.
DiagnosticList wantedOf(CheckedText checked, const SourceBuffer &source, const CheckOptions &options);

} // namespace ptxray
