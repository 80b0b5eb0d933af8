#pragma once
// Lists the words that can be inserted at the cursor, for the version and target of the module.
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
  std::string text;       // replaces the whole word
  std::string label;      // displayed in the list
  std::string detail;     // one line
  bool isLacking = false; // not available in the module's version or for its target
  unsigned rank = 0;      // sort key, ascending
};

struct Completion {
  Range replaced; // the word that an item replaces
  std::vector<CompletionItem> items;
  bool isCut = false; // the list is incomplete
};
Completion completionAt(Document &document, uint32_t place);

} // namespace ptxray
