#pragma once
// Completions are the words that may be inserted at the cursor, for this text's version and target.
#include "Editor/Document.h"

namespace ptxray {

struct CompletionItem {
  enum Kind : uint8_t {
    Opcode,
    Qualifier,
    Directive,
    Type,
    Register,
    Special,
    Variable,
    Parameter,
    Label,
    Function,
    Value
  };
  Kind kind = Opcode;
  std::string text;       // in the place of the whole word
  std::string label;      // what the list shows
  std::string detail;     // one line
  bool isLacking = false; // the module's version or target does not have it
  unsigned rank = 0;      // the lowest comes first
};

struct Completion {
  Range replaced; // the word that an item takes the place of
  std::vector<CompletionItem> items;
  bool isCut = false; // there are more
};
Completion completionAt(Document &document, uint32_t place);

} // namespace ptxray
