#pragma once
// Maps findings in the PTX of a compiler to locations in the original source.
#include "Diagnostics/Report.h"

namespace ptxray {

/// Returns whether the PTX contains inline assembly marked by a compiler.
bool hasCompiledStatements(llvm::StringRef ptx);

/// Moves findings within inline assembly to the sources that contain it, and returns one report per source. A finding
/// whose statement is not found stays, with a note about its statement. `sources` are files from which the PTX may have
/// been compiled, the likeliest first. They need not include the files in `.file` directives.
std::vector<FileReport> putBack(FileReport &report, llvm::ArrayRef<std::string> sources);

/// Returns the sources of the PTX, according to the preprocessed file that nvcc keeps next to it while it runs; empty
/// if there is none.
std::vector<std::string> sourcesOfNvcc(llvm::StringRef ptxPath);

} // namespace ptxray
