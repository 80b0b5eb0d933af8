#pragma once
// Recognises texts that are not PTX by how they begin.
#include "Source/Range.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace ptxray {

struct ForeignText {
  llvm::StringLiteral what;   // `CUDA C++`
  llvm::StringLiteral advice; // how to get at the PTX
  Range place;                // of the text by which it was recognised
  std::optional<Range> ptx;   // the first `.version` in it, at the begin of a line
};
/// Returns nothing for a text that may be PTX, even faulty PTX.
std::optional<ForeignText> recogniseForeign(llvm::StringRef text);

/// Returns the language of a line that is not PTX; empty: it may be PTX.
llvm::StringRef languageOfLine(llvm::StringRef line);
/// `.s32` for `int`, `.f32` for `float`: what PTX has for a type of C or LLVM, without its dot; empty: nothing.
llvm::StringRef typeOfOtherLanguage(llvm::StringRef name);

inline constexpr llvm::StringLiteral byteOrderMark = "\xEF\xBB\xBF";

/// Returns whether a program may write to the text: it begins with `.version`, perhaps after comments, and has no bytes
/// that never occur in text.
bool isSurelyPtx(llvm::StringRef text);

} // namespace ptxray
