#pragma once
// The function at a location, checked together with everything before it outside of function bodies. Hover, completion
// and similar requests use an excerpt, which takes milliseconds even in large modules.
#include "Check/CheckStatements.h"
#include "Read/ReadModule.h"

namespace ptxray {

/// Unparsed text: a part of a document, and everything on which it depends.
struct ExcerptText {
  MappedText text;
  // Offset of the body that contains the requested location; empty if no body contains it.
  std::optional<uint32_t> bodyBegin;
  CheckOptions options;
  Range place; // range of the document in which all locations have the same excerpt
};

class Excerpt {
public:
  explicit Excerpt(ExcerptText text);

  const SourceBuffer &source() const { return *buffer; }
  llvm::StringRef text() const { return buffer->text(); }
  llvm::StringRef text(Range range) const { return buffer->text(range); }
  const Ast &ast() const { return whole.ast(); }
  /// Returns the body of the function at the location, or null if there is none.
  const Body *body() const { return around; }
  llvm::ArrayRef<Symbol> moduleSymbols() const { return whole.symbols(); }
  ModuleContext module() const { return whole.context(); }
  const ReadModule &read() const { return whole; }
  std::optional<uint32_t> bodyBegin() const { return begin; }

  /// Converts an offset in the document to an offset in the excerpt. Returns nothing if the excerpt does not contain
  /// it.
  std::optional<uint32_t> offsetOf(uint32_t place) const { return mapped.offsetOf(place); }
  Range placeOf(Range range) const { return mapped.placeOf(range); }
  /// Returns whether the range appears unchanged in the document.
  bool isInDocument(Range range) const { return mapped.isExact(range); }

private:
  MappedText mapped;
  std::optional<uint32_t> begin;
  std::unique_ptr<SourceBuffer> buffer;
  ReadModule whole;
  const Body *around = nullptr;
};

/// Returns an excerpt of PTX: everything outside of bodies, with a semicolon in place of each body. The excerpt ends
/// with the body around `place`, if there is one.
ExcerptText excerptOfPtx(llvm::StringRef text, llvm::ArrayRef<Range> bodies, std::optional<uint32_t> place,
                         const CheckOptions &options);
/// Returns an excerpt of another language: the module that is checked in place of a statement.
ExcerptText excerptOfStatement(InlineModule module, const CheckOptions &options);
/// Returns a copy of the excerpt without a part of it.
ExcerptText without(const ExcerptText &text, Range part);

} // namespace ptxray
