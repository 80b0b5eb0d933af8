#pragma once
#include "Diagnostics/Diagnostic.h"
#include <vector>

namespace ptxray {

/// Returns edits of whole lines that turn one text into another. Equal lines are not touched, which preserves cursors
/// and folds.
std::vector<Edit> editsBetween(llvm::StringRef before, llvm::StringRef after);

} // namespace ptxray
