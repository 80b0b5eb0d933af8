#pragma once
// Finds lines that comments exclude from formatting, or protect from being split.
#include "Diagnostics/Diagnostic.h"
#include "Format/Typesetter.h"
#include "Source/SourceBuffer.h"

namespace ptxray {

/// The information from the parser that the formatter needs.
struct ReadText {
  explicit ReadText(const SourceBuffer &source);
  const SourceBuffer &source;
  llvm::StringRef text;
  std::optional<Diagnostic> error; // the first syntax error
  std::vector<Range> remarks;      // comments that contain instructions to ptxray
};

Bounds boundsOf(const ReadText &read, const StatementList &statements, Range wanted);

} // namespace ptxray
