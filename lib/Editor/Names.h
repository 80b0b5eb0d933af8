#pragma once
// Finds the names in a document and their meanings.
#include "Editor/Document.h"
#include "Editor/Excerpt.h"

namespace ptxray {

struct Mention {
  Range range; // location of the name alone
  NameId name = NameId::None;
  const Symbol *symbol = nullptr; // null for special registers and undeclared names
  uint8_t uses = 0;               // bits of enum Use: how an instruction uses the name
  bool isDeclaration = false;
};

/// Returns the names in a body and in its function's head, in source order.
std::vector<Mention> mentionsInBody(const Body &body, const SourceBuffer &source);
/// Returns the names outside of bodies. `symbols` may be those of any body.
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
/// Returns the declarations of the name at `place`; for a function, the location of its body.
std::vector<Range> definitionOf(Document &document, uint32_t place);
/// Returns all mentions with the same meaning. `inDocument` includes names of the module in other functions.
std::vector<NamePlace> referencesOf(Document &document, uint32_t place, bool inDocument);

/// The name that can be renamed at a location, or the reason why none can.
struct Renaming {
  Range range; // the name at the location
  std::string name;
  std::string problem; // empty if the name can be renamed
};
Renaming renamingAt(Document &document, uint32_t place);
/// The edits for a new name, or the reason why it is not possible.
struct Renamed {
  std::vector<Edit> edits;
  std::string problem;
};
Renamed rename(Document &document, uint32_t place, llvm::StringRef name);

} // namespace ptxray
