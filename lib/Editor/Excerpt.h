#pragma once
// The function around a place, read and judged again with all that is before it outside of bodies: what hover,
// completion and the like look at, in milliseconds whatever the size of the text.
#include "Check/CheckStatements.h"
#include "Read/ReadModule.h"

namespace ptxray {

/// Text to be read: a piece of a document, and what it cannot do without.
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
  const Ast &ast() const { return whole.ast(); }
  /// Returns the body of the function around the place; null: there is none.
  const Body *body() const { return around; }
  llvm::ArrayRef<Symbol> moduleSymbols() const { return whole.symbols(); }
  ModuleContext module() const { return whole.context(); }
  const ReadModule &read() const { return whole; }
  std::optional<uint32_t> bodyBegin() const { return begin; }

  /// Returns a place of the document in this text, and the other way. Empty places are of what the document does not
  /// have.
  std::optional<uint32_t> offsetOf(uint32_t place) const { return mapped.offsetOf(place); }
  Range placeOf(Range range) const { return mapped.placeOf(range); }
  /// It is in the document as it is.
  bool isInDocument(Range range) const { return mapped.isExact(range); }

private:
  MappedText mapped;
  std::optional<uint32_t> begin;
  std::unique_ptr<SourceBuffer> buffer;
  ReadModule whole;
  const Body *around = nullptr;
};

/// Returns an excerpt of PTX: all that is outside of bodies, each of which becomes a semicolon, and the whole body
/// around the place, if there is one; then the text ends with it.
ExcerptText excerptOfPtx(llvm::StringRef text, llvm::ArrayRef<Range> bodies, std::optional<uint32_t> place,
                         const CheckOptions &options);
/// Returns an excerpt of another language: what is judged in place of a statement.
ExcerptText excerptOfStatement(InlineModule module, const CheckOptions &options);
/// The same text without a part of it.
ExcerptText without(const ExcerptText &text, Range part);

} // namespace ptxray
