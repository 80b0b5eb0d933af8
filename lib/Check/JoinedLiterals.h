#pragma once
// Literals of an `asm` statement of which one lacks the `;` at its end, so that the next one continues its last word.
#include "Diagnostics/Diagnostic.h"
#include "Inline/Statement.h"
#include <optional>

namespace ptxray {

/// Two literals that make one statement of PTX, with places in the source.
struct JoinedLiterals {
  Range whole;  // from the `;` before the border to the one after it
  Range border; // empty, at the end of the first literal
  std::string before, joined;
};

/// Returns the first literal that ends within a word and is followed by an instruction; nothing if there is none.
std::optional<JoinedLiterals> findJoinedLiterals(llvm::ArrayRef<const InlineStatement *> statements);
/// Reports the missing `;`.
void reportJoined(const JoinedLiterals &joined, DiagnosticSink &sink);

} // namespace ptxray
