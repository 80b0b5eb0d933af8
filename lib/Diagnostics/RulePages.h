#pragma once
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace ptxray {

/// The page docs/diagnostics/<id>.md.
struct RulePage {
  llvm::StringLiteral id;
  llvm::StringLiteral text;
};
llvm::ArrayRef<RulePage> rulePages(); // sorted by id
/// The text of the page; empty if there is none.
llvm::StringRef rulePage(llvm::StringRef id);

} // namespace ptxray
