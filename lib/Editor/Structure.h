#pragma once
// The outline of a document, and its foldable ranges.
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
/// Returns the symbols in source order.
std::vector<DocumentSymbol> documentSymbols(Document &document);

struct Folding {
  enum Kind : uint8_t { Region, Comment, Lines } kind = Region; // Lines: a sequence of similar lines, such as `.loc`
  Range range;
};
/// Returns bodies, blocks, multi-line comments and runs of debugging directives, sorted by location.
std::vector<Folding> foldings(Document &document);

/// Returns nested ranges: the word at `place`, its operand, statement, block and body, and the whole document.
std::vector<Range> selectionsAt(Document &document, uint32_t place);

} // namespace ptxray
