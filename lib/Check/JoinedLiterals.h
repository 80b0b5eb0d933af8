#pragma once
// Finds adjacent literals of an `asm` statement of which the first lacks the final `;`, so that the second continues
// its last word.
#include "Diagnostics/Diagnostic.h"
#include "Inline/Statement.h"
#include <optional>

namespace ptxray {

/// Two literals that form one PTX statement, with locations in the source.
struct JoinedLiterals {
  Range whole;  // the part from the `;` before the border to the one after it
  Range border; // empty, at the end of the first literal
  std::string before, joined;
};

/// Returns the first literal that ends within a word and is followed by an instruction; nothing if there is none.
std::optional<JoinedLiterals> findJoinedLiterals(llvm::ArrayRef<const InlineStatement *> statements);
/// Reports the missing `;`.
void reportJoined(const JoinedLiterals &joined, DiagnosticSink &sink);

} // namespace ptxray
