#pragma once
// Classifies each word of a document for syntax highlighting.
#include "Editor/Document.h"

namespace ptxray {

struct SemanticToken {
  enum Kind : uint8_t {
    Opcode,
    Qualifier,
    Type,
    Directive,
    Register,
    Special,
    Label,
    Function,
    Parameter,
    Variable,
    Number
  };
  enum Modifier : uint8_t {
    None = 0,
    Declaration = 1,
    ReadOnly = 2,
    Deprecated = 4
  }; // Deprecated: the target lacks it
  Range range; // within one line
  Kind kind = Opcode;
  uint8_t modifiers = None;
};
/// Returns the tokens in a range of the document, sorted and without overlaps.
std::vector<SemanticToken> semanticTokens(Document &document, Range part);

} // namespace ptxray
