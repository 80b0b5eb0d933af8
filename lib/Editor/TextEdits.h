#pragma once
#include "Diagnostics/Diagnostic.h"
#include <vector>

namespace ptxray {

/// What makes one text of another, by lines: those that stay are not touched, so that cursors and folds stay too.
std::vector<Edit> editsBetween(llvm::StringRef before, llvm::StringRef after);

} // namespace ptxray
