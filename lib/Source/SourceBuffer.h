#pragma once
#include "Source/Expected.h"
#include "Source/Range.h"
#include "llvm/ADT/StringRef.h"
#include <cassert>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

namespace ptxray {

struct LineColumn {
  uint32_t line = 1;   // counted from 1
  uint32_t column = 1; // counted from 1, in bytes
};

/// One input, mapped or owned, followed by 64 readable zero bytes.
class SourceBuffer {
public:
  static constexpr size_t largest = UINT32_MAX - 64;
  /// Reads the text of a file, or standard input if the path is `-`.
  static Expected<std::unique_ptr<SourceBuffer>> open(llvm::StringRef path);
  /// Reads a binary, which may be larger than a text. A buffer over `largest` supports only `text()`.
  static Expected<std::unique_ptr<SourceBuffer>> openBytes(llvm::StringRef path);
  static std::unique_ptr<SourceBuffer> fromText(llvm::StringRef name, llvm::StringRef text);
  static std::unique_ptr<SourceBuffer> fromOwned(llvm::StringRef name, std::string text);
  /// Moves the text out of a buffer that was made by `fromText` or `fromOwned`.
  static std::string textOf(std::unique_ptr<SourceBuffer> buffer);
  ~SourceBuffer();

  llvm::StringRef name() const { return bufferName; }
  llvm::StringRef text() const { return content; }
  llvm::StringRef text(Range range) const {
    assert(range.begin <= range.end && "a range does not end before it begins");
    return content.slice(range.begin, range.end);
  }
  LineColumn lineColumn(uint32_t offset) const;  // builds the line table on the first call
  Range lineRange(uint32_t line) const;          // without the newline
  llvm::StringRef lineText(uint32_t line) const; // returns the text without the line ending

private:
  SourceBuffer() = default;
  static Expected<std::unique_ptr<SourceBuffer>> open(llvm::StringRef path, size_t mostBytes);
  std::error_code read(llvm::StringRef path, size_t mostBytes);
  void findLines() const;
  std::string bufferName;
  llvm::StringRef content;
  void *mapping = nullptr;
  size_t mappingSize = 0;
  std::string owned;
  mutable std::vector<uint32_t> lineStarts;
  mutable uint32_t lastLine = 1; // argument of the last query
};

} // namespace ptxray
