#pragma once
#include "llvm/ADT/StringRef.h"
#include <string>

namespace ptxray {

/// A unified diff.
std::string diffTexts(llvm::StringRef path, llvm::StringRef before, llvm::StringRef after);

} // namespace ptxray
