#pragma once
// The function around a place, read and judged again together with everything outside of bodies before it. Hover,
// completion and the like look at this; it takes milliseconds, whatever the size of the text.
#include "Check/CheckStatements.h"
#include "Check/ModuleCheck.h"
#include "Parse/Parse.h"

namespace ptxray {

/// A text to be read: a piece of a document, with everything that it depends on.
struct ExcerptText {
  MappedText text;
  std::optional<uint32_t> bodyBegin; // where in the text the body begins that the place is in; nothing: it is in none
  CheckOptions options;
  Range place; // of the document: wherever within it the text would be the same
};

class Excerpt {
public:
  explicit Excerpt(ExcerptText text);

  const SourceBuffer &source() const { return *buffer; }
  llvm::StringRef text() const { return buffer->text(); }
  llvm::StringRef text(Range range) const { return buffer->text(range); }
  const Ast &ast() const { return parser.ast(); }
  /// The function around the place; null if there is none.
  const Body *body() const { return lastBody; }
  llvm::ArrayRef<Symbol> moduleSymbols() const { return check.symbols(); }
  ModuleContext module() const { return check.context(); }
  const ModuleCheck &moduleCheck() const { return check; }
  std::optional<uint32_t> bodyBegin() const { return begin; }

  /// Converts a place of the document to one of this text, and back. Empty for places that the document does not have.
  std::optional<uint32_t> offsetOf(uint32_t place) const { return mapped.offsetOf(place); }
  Range placeOf(Range range) const { return mapped.placeOf(range); }
  /// Whether the range is in the document, unchanged.
  bool isInDocument(Range range) const { return mapped.isExact(range); }

private:
  MappedText mapped;
  std::optional<uint32_t> begin;
  std::unique_ptr<SourceBuffer> buffer;
  CheckOptions options;
  Parser parser;
  Knowledge knowledge;
  DiagnosticSink sink;
  ModuleCheck check;
  const Body *lastBody = nullptr;
};

/// The excerpt of a PTX text: everything outside of bodies, each of which becomes a semicolon, and the whole body
/// around the place, if there is one; the text ends with it.
ExcerptText excerptOfPtx(llvm::StringRef text, llvm::ArrayRef<Range> bodies, std::optional<uint32_t> place,
                         const CheckOptions &options);
/// The excerpt of a text in another language: what is judged in place of a statement.
ExcerptText excerptOfStatement(InlineModule module, const CheckOptions &options);
/// The same text without one part.
ExcerptText without(const ExcerptText &text, Range part);

} // namespace ptxray
