#pragma once
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace ptxray {

/// docs/diagnostics/<id>.md
struct RulePage {
  llvm::StringLiteral id;
  llvm::StringLiteral text;
};
llvm::ArrayRef<RulePage> rulePages(); // sorted by id
/// Empty when there is none.
llvm::StringRef rulePage(llvm::StringRef id);

} // namespace ptxray
