#pragma once
// Suggests how to write a number that is not PTX: `1.5f`, `0x1u`, `1_000`.
#include "Diagnostics/Diagnostic.h"
#include "llvm/ADT/StringRef.h"

namespace ptxray {

/// Adds notes, and a fix if there is one; `before` is the text up to the number.
void adviseOnNumber(llvm::StringRef before, llvm::StringRef number, Diagnostic &d);

} // namespace ptxray
