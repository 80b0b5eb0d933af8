#pragma once
// Edits that an editor offers for a diagnostic.
#include "Editor/Document.h"

namespace ptxray {

struct CodeAction {
  enum Kind : uint8_t {
    Fix,     // fixes one diagnostic
    Silence, // adds a comment that suppresses the diagnostic
    Raise,   // raises the module's version and target to those that the whole module needs
  };
  Kind kind = Fix;
  std::string title;
  std::vector<Edit> edits;
  size_t diagnostic = 0; // index into the document's diagnostics
  bool isSafe = false;   // `--fix` applies it
};
/// Returns the actions for diagnostics within a part of the text.
std::vector<CodeAction> actionsIn(Document &document, Range part);

/// Returns the edits that `ptxray check --fix` would make.
std::vector<Edit> fixAll(const Document &document);

} // namespace ptxray
