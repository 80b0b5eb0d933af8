#pragma once
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace ptxray {

/// Lines [from, fromEnd) of the old text became [to, toEnd) of the new one; counted from 0.
struct LineChange {
  size_t from, fromEnd, to, toEnd;
};

/// Makes a unified diff.
std::string diffTexts(llvm::StringRef path, llvm::StringRef before, llvm::StringRef after);
/// The same if it is known which lines may differ; no two of the changes touch.
std::string diffTexts(llvm::StringRef path, llvm::StringRef before, llvm::StringRef after,
                      std::vector<LineChange> changes);

} // namespace ptxray
