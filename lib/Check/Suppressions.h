#pragma once
// Comments of the text that silence a rule: `// ptxray: ignore RULE, ...` for one line,
// `// ptxray: ignore-function RULE, ...` for one function.
#include "Check/CheckModule.h"

namespace ptxray {

/// What a comment that speaks to ptxray says: `ignore unused-label`.
llvm::StringRef remarkIn(llvm::StringRef comment);

/// The line whose diagnostics an `ignore` silences: that of the comment; when nothing is before it there, the next
/// one with code.
Range lineSilencedBy(const SourceBuffer &source, Range comment);

/// Takes away what the comments silence, and reports those that silence nothing. `comments` are all that
/// speak to ptxray, `functions` the places of all functions.
void applySuppressions(const SourceBuffer &source, llvm::ArrayRef<Range> comments, llvm::ArrayRef<Range> functions,
                       const CheckOptions &options, DiagnosticSink &sink);

} // namespace ptxray
