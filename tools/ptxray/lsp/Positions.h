#pragma once
// Converts between positions of the protocol and byte offsets. No other file handles UTF-16.
#include "Source/Range.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <vector>

namespace ptxray::lsp {

/// The unit of a column.
enum class Encoding : uint8_t { Utf8, Utf16, Utf32 };
std::optional<Encoding> findEncoding(llvm::StringRef name);
llvm::StringRef nameOf(Encoding encoding);

/// Returns whether the text is ASCII, so that each byte is a column in all encodings.
bool isAscii(llvm::StringRef text);
/// Returns the number of columns of a text without line endings.
uint32_t columnsOf(llvm::StringRef text, Encoding encoding);

struct Position {
  uint32_t line = 0, column = 0; // counted from 0
};

/// The offsets of the lines of a text. A line ends with `\n`, `\r\n`, or `\r`.
class Lines {
public:
  explicit Lines(llvm::StringRef text);
  /// Updates the lines after `replaced` became `newSize` bytes; `text` is the new text.
  void edited(llvm::StringRef text, Range replaced, uint32_t newSize);

  /// Converts a position to an offset. Positions beyond the end of a line or of the text are moved to that end.
  uint32_t offsetOf(llvm::StringRef text, Position position, Encoding encoding) const;
  Position positionOf(llvm::StringRef text, uint32_t offset, Encoding encoding) const;
  /// Returns the line of an offset, which must not be before `line`. For locations in ascending order.
  uint32_t lineFrom(uint32_t line, uint32_t offset) const {
    while (line + 1 < starts.size() && starts[line + 1] <= offset)
      ++line;
    return line;
  }
  uint32_t startOf(uint32_t line) const { return starts[line]; }
  bool operator==(const Lines &) const = default;

private:
  std::vector<uint32_t> starts;
};

} // namespace ptxray::lsp
