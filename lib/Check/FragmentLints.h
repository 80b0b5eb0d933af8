#pragma once
// What no compiler refuses, and what only the view of a statement with its operands shows.
#include "Check/JudgeFragment.h"

namespace ptxray {

/// A statement, or several that open and close blocks together, that are accepted.
struct LintedFragment {
  llvm::ArrayRef<const InlineStatement *> statements;
  const Fragment &fragment;
  const JudgedFragment &judged;
  const MappedText &module;
};
void lint(const LintedFragment &linted, DiagnosticSink &sink);

} // namespace ptxray
