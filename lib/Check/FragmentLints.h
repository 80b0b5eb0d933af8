#pragma once
// Reports findings that depend on a statement together with its operands. No compiler reports them.
#include "Check/JudgeFragment.h"

namespace ptxray {

/// An accepted statement, or several statements that open and close blocks together.
struct LintedFragment {
  llvm::ArrayRef<const InlineStatement *> statements;
  const Fragment &fragment;
  const JudgedFragment &judged;
  const MappedText &module;
  bool isAmongAccesses; // the surrounding code may access memory
};
/// Reports a comment that extends into the next literal with an instruction, because only `\n` ends a comment.
void lintComment(const InlineStatement &statement, DiagnosticSink &sink);
void lint(const LintedFragment &linted, DiagnosticSink &sink);

} // namespace ptxray
