#pragma once
// The shape of a document: its declarations, and what can be folded.
#include "Editor/Document.h"

namespace ptxray {

struct DocumentSymbol {
  enum Kind : uint8_t { Kernel, Function, Variable, Parameter, Register, Label } kind = Kernel;
  std::string name;   // `%r<10>`
  std::string detail; // `.b32`
  Range range;        // the whole declaration
  Range nameRange;
  std::vector<DocumentSymbol> children;
};
/// Returns the symbols in the order of the text.
std::vector<DocumentSymbol> documentSymbols(Document &document);

struct Folding {
  enum Kind : uint8_t { Region, Comment, Lines } kind = Region; // Lines: many of a kind, such as `.loc`
  Range range;
};
/// Bodies, blocks, comments of several lines, runs of debugging directives; sorted by place.
std::vector<Folding> foldings(Document &document);

/// Returns the ranges from the word around a place to its operand, statement, block, body, and the whole text, each
/// within the next.
std::vector<Range> selectionsAt(Document &document, uint32_t place);

} // namespace ptxray
