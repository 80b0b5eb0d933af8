#pragma once
// The rules in groups, by the step that reports them.
#include "Diagnostics/Diagnostic.h"

namespace ptxray {

struct RuleGroup {
  llvm::StringLiteral name;  // what `--off` takes: `syntax`
  llvm::StringLiteral title; // of a list of its rules
  DiagId first;              // of Diagnostics.def; the group ends where the next one begins
};
llvm::ArrayRef<RuleGroup> ruleGroups(); // in the order of DiagId
const RuleGroup &groupOf(DiagId id);
/// Returns whether a report of the rule may carry a fix.
bool mayHaveFix(DiagId id);

/// Returns the rules that match a name, a group or a pattern such as `codegen-*`; empty if none does.
llvm::SmallVector<DiagId, 0> matchRules(llvm::StringRef text);

} // namespace ptxray
