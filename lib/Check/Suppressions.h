#pragma once
// What is left of the findings by the options and by comments of the text that silence a rule:
// `// ptxray: ignore RULE, ...` for one line, `// ptxray: ignore-function RULE, ...` for one function.
#include "Check/CheckModule.h"

namespace ptxray {

/// What a comment that speaks to ptxray says: `ignore unused-label`.
llvm::StringRef remarkIn(llvm::StringRef comment);

/// The line whose diagnostics an `ignore` silences: that of the comment; when nothing is before it there, the next
/// one with code.
Range lineSilencedBy(const SourceBuffer &source, Range comment);

/// Whether the options want to see a diagnostic; makes it as severe as they want it.
bool isWanted(Diagnostic &diagnostic, const CheckOptions &options);

/// The findings but for what comments silence and options leave out, by place; with those comments that silence
/// nothing.
DiagnosticList wantedOf(CheckedText checked, const SourceBuffer &source, const CheckOptions &options);

} // namespace ptxray
