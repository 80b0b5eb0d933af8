#pragma once
#include "Diagnostics/Diagnostic.h"
#include <vector>

namespace ptxray {

/// Returns the edits that turn one text into another, by lines. Equal lines are not touched, so that cursors and folds
/// stay.
std::vector<Edit> editsBetween(llvm::StringRef before, llvm::StringRef after);

} // namespace ptxray
