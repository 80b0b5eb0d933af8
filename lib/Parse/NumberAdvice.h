#pragma once
// Suggests a PTX spelling for numbers such as `1.5f`, `0x1u`, `1_000`.
#include "Diagnostics/Diagnostic.h"
#include "llvm/ADT/StringRef.h"

namespace ptxray {

/// Adds notes, and a fix if there is one, to `d`. `before` is the text before the number.
void adviseOnNumber(llvm::StringRef before, llvm::StringRef number, Diagnostic &d);

} // namespace ptxray
