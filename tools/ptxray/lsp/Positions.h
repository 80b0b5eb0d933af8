#pragma once
// Lines and columns as the protocol counts them, and byte offsets: no other file knows UTF-16.
#include "Source/Range.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <vector>

namespace ptxray::lsp {

/// In what a column is counted.
enum class Encoding : uint8_t { Utf8, Utf16, Utf32 };
std::optional<Encoding> findEncoding(llvm::StringRef name);
llvm::StringRef nameOf(Encoding encoding);

/// Then each byte is a column in all encodings.
bool isAscii(llvm::StringRef text);
/// How many columns a text without line ends has.
uint32_t columnsOf(llvm::StringRef text, Encoding encoding);

struct Position {
  uint32_t line = 0, column = 0; // from 0
};

/// Where the lines of a text begin. A line ends with `\n`, `\r\n`, or `\r`.
class Lines {
public:
  explicit Lines(llvm::StringRef text);
  /// After `replaced` became so many bytes; `text` is the new one.
  void edited(llvm::StringRef text, Range replaced, uint32_t newSize);

  /// What lies after the end of a line or of the text is moved there.
  uint32_t offsetOf(llvm::StringRef text, Position position, Encoding encoding) const;
  Position positionOf(llvm::StringRef text, uint32_t offset, Encoding encoding) const;
  /// The line of an offset that is not before `line`: for places in their order.
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
