#pragma once
// Recognises source in other languages by its beginning.
#include "Source/Range.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace ptxray {

struct ForeignText {
  llvm::StringLiteral what;   // `CUDA C++`
  llvm::StringLiteral advice; // how to obtain the PTX
  Range place;                // the text by which it was recognised
  std::optional<Range> ptx;   // the first `.version` at the beginning of a line
};
/// Returns nothing for a text that may be PTX, even with errors.
std::optional<ForeignText> recogniseForeign(llvm::StringRef text);

/// Returns the language of a line that is not PTX; empty if it may be PTX.
llvm::StringRef languageOfLine(llvm::StringRef line);
/// Returns the PTX type for a type of C or LLVM, without its dot: `s32` for `int`, `f32` for `float`. Empty if there is
/// none.
llvm::StringRef typeOfOtherLanguage(llvm::StringRef name);
/// Returns the PTX for a function of CUDA C++, such as `bar.sync 0` for `__syncthreads`; empty if there is none.
llvm::StringRef functionInPtx(llvm::StringRef name);

inline constexpr llvm::StringLiteral byteOrderMark = "\xEF\xBB\xBF";

/// Returns whether a program may overwrite the file, because it is certainly PTX. It must begin with `.version`,
/// possibly after comments, and contain no bytes that never occur in text.
bool isSurelyPtx(llvm::StringRef text);

} // namespace ptxray
