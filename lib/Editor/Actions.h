#pragma once
// Actions are what an editor can do about a diagnostic.
#include "Editor/Document.h"

namespace ptxray {

struct CodeAction {
  enum Kind : uint8_t {
    Fix,     // of one report
    Silence, // it, by a comment
    Raise,   // the version and target of the module, to what the whole text needs
  };
  Kind kind = Fix;
  std::string title;
  std::vector<Edit> edits;
  size_t diagnostic = 0; // which one of the document
  bool isSafe = false;   // as `--fix` makes it
};
/// Returns the actions for diagnostics within a part of the text.
std::vector<CodeAction> actionsIn(Document &document, Range part);

/// Returns the edits that `ptxray check --fix` would make.
std::vector<Edit> fixAll(const Document &document);

} // namespace ptxray
