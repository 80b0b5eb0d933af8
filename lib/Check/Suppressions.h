#pragma once
// Comments of the text that silence a rule: `// ptxray: ignore RULE, ...` for one line,
// `// ptxray: ignore-function RULE, ...` for one function.
#include "Check/CheckModule.h"

namespace ptxray {

/// Takes away what the comments silence, and reports those that silence nothing. `comments` are all that
/// speak to ptxray, `functions` the places of all functions.
void applySuppressions(const SourceBuffer &source, llvm::ArrayRef<Range> comments, llvm::ArrayRef<Range> functions,
                       const CheckOptions &options, DiagnosticSink &sink);

} // namespace ptxray
