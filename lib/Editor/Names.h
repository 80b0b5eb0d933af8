#pragma once
// The places of names in a text, and what each of them means there.
#include "Editor/Document.h"
#include "Editor/Excerpt.h"

namespace ptxray {

struct Mention {
  Range range; // of the name alone
  NameId name = NameId::None;
  const Symbol *symbol = nullptr; // null: a special register, or declared nowhere
  uint8_t uses = 0;               // of enum Use: what an instruction does with it
  bool isDeclaration = false;
};

/// Returns the names of a body and of its function's head, in the order of the text.
std::vector<Mention> mentionsInBody(const Body &body, const SourceBuffer &source);
/// Returns the names outside of bodies; `symbols` may be those of any body.
std::vector<Mention> mentionsInModule(const Ast &ast, const SourceBuffer &source, llvm::ArrayRef<Symbol> symbols);
/// Returns all names of an excerpt.
std::vector<Mention> mentionsIn(const Excerpt &excerpt);
/// Returns the mention that the offset touches; null if there is none.
const Mention *mentionAt(llvm::ArrayRef<Mention> mentions, uint32_t offset);

// ---- answers, with places in the document
struct NamePlace {
  Range range;
  bool isWritten = false, isDeclaration = false;
};
/// Returns the places where the name at a place is declared; for a function, where its body is.
std::vector<Range> definitionOf(Document &document, uint32_t place);
/// Returns all places with the same meaning. `inDocument` includes names of the module in other functions.
std::vector<NamePlace> referencesOf(Document &document, uint32_t place, bool inDocument);

/// The name that may be renamed at a place, or why none may.
struct Renaming {
  Range range; // of the name at the place
  std::string name;
  std::string problem; // empty: it may be renamed
};
Renaming renamingAt(Document &document, uint32_t place);
/// The edits for the new name, or why they cannot be made.
struct Renamed {
  std::vector<Edit> edits;
  std::string problem;
};
Renamed rename(Document &document, uint32_t place, llvm::StringRef name);

} // namespace ptxray
