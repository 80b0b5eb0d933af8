#pragma once
#include "Diagnostics/Diagnostic.h"

namespace ptxray {

/// The text with the fixes made, as many as do not overlap; `made` counts them. With `unsafe` also those
/// that are a guess.
std::string applyFixes(llvm::StringRef text, const DiagnosticList &diagnostics, bool unsafe, unsigned &made);

} // namespace ptxray
