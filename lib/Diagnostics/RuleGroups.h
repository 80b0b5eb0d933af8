#pragma once
// Groups of rules, by the step that reports them.
#include "Diagnostics/Diagnostic.h"

namespace ptxray {

struct RuleGroup {
  llvm::StringLiteral name;  // argument of `--off`: `syntax`
  llvm::StringLiteral title; // heading for a list of its rules
  DiagId first;              // index into Diagnostics.def; the group ends at the start of the next one
};
llvm::ArrayRef<RuleGroup> ruleGroups(); // in the order of DiagId
const RuleGroup &groupOf(DiagId id);
/// Returns whether a report of the rule may carry a fix.
bool mayHaveFix(DiagId id);

/// Returns the rules that match a name, a group or a pattern such as `codegen-*`; empty if none does.
llvm::SmallVector<DiagId, 0> matchRules(llvm::StringRef text);

} // namespace ptxray
