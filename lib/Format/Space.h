#pragma once
// White space as a value, and as text.
#include "Format/FormatOptions.h"
#include "Source/Range.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace ptxray {

/// The space between two words: nothing, a blank, or ends of lines and an indent.
struct Space {
  uint32_t newlines = 0;
  uint32_t indent = 0; // levels, where there are newlines
  bool blank = false;
};

/// A run of white space that is to be replaced.
struct Respacing {
  Range range;
  Space space;
};

/// Writes spaces in the manner of a text.
class SpaceWriter {
public:
  /// Uses the kind of line end that most lines have.
  SpaceWriter(llvm::StringRef text, const FormatOptions &options);
  bool isWritten(llvm::StringRef text, Space space) const;
  void append(std::string &out, Space space) const;
  uint32_t columns(uint32_t indent) const;

private:
  std::string unit; // of the indent
  llvm::StringLiteral newline;
  bool keepsColumns;
};

} // namespace ptxray
