#pragma once
// A text put together from pieces of a source, each of which knows its place there.
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

  /// Characters that are in the source as they are.
  void copy(llvm::StringRef characters, uint32_t from);
  /// Characters that the source writes in another way, such as `\n`.
  void replace(llvm::StringRef characters, Range by);
  /// Characters of another text, mapped as they are there.
  void append(const MappedText &other, Range part);
  void append(const MappedText &other) { append(other, {0, other.size()}); }

  /// Where the statement is that the text is of. A part that macros put together is looked for there first.
  void setHome(Range place) { home = place; }
  /// Where a part of the text is in the source; an empty part has an empty place.
  Range placeOf(Range part) const;
  /// Where a character of the source is in the text, if it is there as it is; an offset at the end of a piece belongs
  /// to the piece.
  std::optional<uint32_t> offsetOf(uint32_t place) const;
  /// Whether the part is in the source as it is, in one run.
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
