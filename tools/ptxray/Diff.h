#pragma once
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace ptxray {

/// A replacement of lines [from, fromEnd) of the old text by [to, toEnd) of the new one, counted from 0.
struct LineChange {
  size_t from, fromEnd, to, toEnd;
};

/// Returns a unified diff.
std::string diffTexts(llvm::StringRef path, llvm::StringRef before, llvm::StringRef after);
/// Returns a unified diff for known changes, which must not touch each other.
std::string diffTexts(llvm::StringRef path, llvm::StringRef before, llvm::StringRef after,
                      std::vector<LineChange> changes);

} // namespace ptxray
