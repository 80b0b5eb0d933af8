#pragma once
// A text composed of pieces of a source. Each piece stores its location in the source.
#include "Source/Range.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <vector>

namespace ptxray {

class MappedText {
public:
  llvm::StringRef text() const { return content; }
  uint32_t size() const { return static_cast<uint32_t>(content.size()); }

  /// Appends characters that appear unchanged in the source.
  void copy(llvm::StringRef characters, uint32_t from);
  /// Appends characters that the source spells differently, such as `\n`.
  void replace(llvm::StringRef characters, Range by);
  /// Appends a part of another text, with its locations.
  void append(const MappedText &other, Range part);
  void append(const MappedText &other) { append(other, {0, other.size()}); }

  /// Returns this text with its locations mapped through `outer`, which must be the source of this text.
  MappedText through(const MappedText &outer) const;

  /// Sets the location of the statement. A part that macros composed is mapped to a location within it, if possible.
  void setHome(Range place) { home = place; }
  /// Returns the location in the source of a part of the text; empty for an empty part.
  Range placeOf(Range part) const;
  /// Returns the offset in the text of a character of the source, if it appears unchanged. An offset at the end of a
  /// piece belongs to that piece.
  std::optional<uint32_t> offsetOf(uint32_t place) const;
  /// Returns whether the part appears in the source, unchanged and contiguous.
  bool isExact(Range part) const;

private:
  struct Piece {
    uint32_t at; // offset; the piece ends where the next one begins
    Range source;
    bool isExact;
  };
  const Piece *pieceAt(uint32_t offset) const;
  Range placeOf(uint32_t offset) const; // location of one character

  Range placeOfPart(const Piece &piece, Range part) const;

  std::string content;
  std::vector<Piece> pieces;
  Range home{0, UINT32_MAX};
};

} // namespace ptxray
