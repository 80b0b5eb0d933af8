#pragma once
// What a text is that is not PTX, recognised by how it begins.
#include "Source/Range.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace ptxray {

struct ForeignText {
  llvm::StringLiteral what;   // `CUDA C++`
  llvm::StringLiteral advice; // how to get at the PTX
  Range place;                // of what tells it
  std::optional<Range> ptx;   // the first `.version` in it, at the begin of a line
};
/// Nothing for what may be PTX, faulty as it may be.
std::optional<ForeignText> recogniseForeign(llvm::StringRef text);

inline constexpr llvm::StringLiteral byteOrderMark = "\xEF\xBB\xBF";

/// Whether a program may write into the text: it begins with `.version`, after comments at most, and has no bytes that
/// no text has.
bool isSurelyPtx(llvm::StringRef text);

} // namespace ptxray
