#pragma once
// Applies the options to the findings, and comments of the text that silence a rule: `// ptxray: ignore RULE, ...` for
// one line, `// ptxray: ignore-function RULE, ...` for one function.
#include "Check/CheckModule.h"

namespace ptxray {

/// Returns the instruction to ptxray in a comment: `ignore unused-label`.
llvm::StringRef remarkIn(llvm::StringRef comment);

/// Returns the line whose diagnostics an `ignore` silences: that of the comment, or, if only blanks precede it, the
/// next line with code.
Range lineSilencedBy(const SourceBuffer &source, Range comment);

/// Returns whether the options enable a diagnostic; sets its severity.
bool isWanted(Diagnostic &diagnostic, const CheckOptions &options);

/// Returns the findings by place, without those that comments silence or options disable, together with reports of
/// comments that silence nothing.
DiagnosticList wantedOf(CheckedText checked, const SourceBuffer &source, const CheckOptions &options);

} // namespace ptxray
