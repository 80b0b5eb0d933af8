#pragma once
// Lines of a text that comments exclude from the layout, or forbid to divide.
#include "Diagnostics/Diagnostic.h"
#include "Format/Typesetter.h"
#include "Source/SourceBuffer.h"

namespace ptxray {

/// The parser's knowledge of a text.
struct ReadText {
  explicit ReadText(const SourceBuffer &source);
  const SourceBuffer &source;
  llvm::StringRef text;
  std::optional<Diagnostic> error; // the first one of syntax
  std::vector<Range> remarks;      // comments that speak to ptxray
};

Bounds boundsOf(const ReadText &read, const StatementList &statements, Range wanted);

} // namespace ptxray
