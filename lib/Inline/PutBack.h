#pragma once
// Findings in the PTX that a compiler made, reported where the programmer wrote it.
#include "Diagnostics/Report.h"

namespace ptxray {

/// Whether the text has inline assembly that a compiler has marked.
bool hasCompiledStatements(llvm::StringRef ptx);

/// Moves the findings that lie in inline assembly to the sources that it is written in; one report for each of those.
/// A finding whose statement is not found stays, and a note says in which one it lies. `sources` are files that the
/// text may have been made from, the likeliest first; those that its `.file` name need not be among them.
std::vector<FileReport> putBack(FileReport &report, llvm::ArrayRef<std::string> sources);

/// What nvcc made the PTX of, as the preprocessed text says that lies beside it while nvcc runs; empty: there is none.
std::vector<std::string> sourcesOfNvcc(llvm::StringRef ptxPath);

} // namespace ptxray
