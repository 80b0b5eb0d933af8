#pragma once
// Findings that no compiler reports, and that depend on a statement together with its operands.
#include "Check/JudgeFragment.h"

namespace ptxray {

/// An accepted statement, or several that open and close blocks together.
struct LintedFragment {
  llvm::ArrayRef<const InlineStatement *> statements;
  const Fragment &fragment;
  const JudgedFragment &judged;
  const MappedText &module;
  bool isAmongAccesses; // the code around it may access memory
};
void lint(const LintedFragment &linted, DiagnosticSink &sink);

} // namespace ptxray
