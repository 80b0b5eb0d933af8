#pragma once
// What to write in the place of a number that PTX does not know: `1.5f`, `0x1u`, `1_000`.
#include "Diagnostics/Diagnostic.h"
#include "llvm/ADT/StringRef.h"

namespace ptxray {

/// Adds notes, and a fix where one exists; `before` is the text up to the number.
void adviseOnNumber(llvm::StringRef before, llvm::StringRef number, Diagnostic &d);

} // namespace ptxray
