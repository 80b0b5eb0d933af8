#pragma once
// Reports findings in the PTX of a compiler at the places in the source.
#include "Diagnostics/Report.h"

namespace ptxray {

/// Returns whether the text contains inline assembly that a compiler has marked.
bool hasCompiledStatements(llvm::StringRef ptx);

/// Moves the findings within inline assembly to the sources where it is written, with one report for each source. A
/// finding whose statement is not found stays, with a note about its statement. `sources` are files that the text may
/// have been made from, the likeliest first; they need not contain those that its `.file` directives name.
std::vector<FileReport> putBack(FileReport &report, llvm::ArrayRef<std::string> sources);

/// Returns the sources of the PTX, from the preprocessed text that nvcc keeps next to it while it runs; empty if there
/// is none.
std::vector<std::string> sourcesOfNvcc(llvm::StringRef ptxPath);

} // namespace ptxray
