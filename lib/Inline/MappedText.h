#pragma once
// A text composed of pieces of a source, each of which knows its place there.
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

  /// Appends characters that are in the source unchanged.
  void copy(llvm::StringRef characters, uint32_t from);
  /// Appends characters that the source writes in another way, such as `\n`.
  void replace(llvm::StringRef characters, Range by);
  /// Appends characters of another text with their places.
  void append(const MappedText &other, Range part);
  void append(const MappedText &other) { append(other, {0, other.size()}); }

  /// Returns this text with places in the source of `outer`, if `outer` is the source of this text.
  MappedText through(const MappedText &outer) const;

  /// Sets the place of the statement. A part that macros composed is mapped to a place within it, if possible.
  void setHome(Range place) { home = place; }
  /// Returns the place of a part of the text in the source; empty for an empty part.
  Range placeOf(Range part) const;
  /// Returns the place in the text of a character of the source, if it is there unchanged; an offset at the end of a
  /// piece belongs to the piece.
  std::optional<uint32_t> offsetOf(uint32_t place) const;
  /// Returns whether the part is in the source unchanged, and contiguous.
  bool isExact(Range part) const;

private:
  struct Piece {
    uint32_t at; // its end is where the next one begins
    Range source;
    bool isExact;
  };
  const Piece *pieceAt(uint32_t offset) const;
  Range placeOf(uint32_t offset) const; // of one character

  Range placeOfPart(const Piece &piece, Range part) const;

  std::string content;
  std::vector<Piece> pieces;
  Range home{0, UINT32_MAX};
};

} // namespace ptxray
