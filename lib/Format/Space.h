#pragma once
// White space as a value, and as text.
#include "Format/FormatOptions.h"
#include "Source/Range.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace ptxray {

/// The space between two words: nothing, one space, or newlines and an indent.
struct Space {
  uint32_t newlines = 0;
  uint32_t indent = 0; // indent levels after newlines
  bool blank = false;
};

/// A range of white space and its replacement.
struct Respacing {
  Range range;
  Space space;
};

/// Writes white space in the style of a given text.
class SpaceWriter {
public:
  /// Uses the line ending that most lines of `text` have.
  SpaceWriter(llvm::StringRef text, const FormatOptions &options);
  bool isWritten(llvm::StringRef text, Space space) const;
  void append(std::string &out, Space space) const;
  uint32_t columns(uint32_t indent) const;

private:
  std::string unit; // white space of one indent level
  llvm::StringLiteral newline;
  bool keepsColumns;
};

} // namespace ptxray
