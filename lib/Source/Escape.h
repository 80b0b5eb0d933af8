#pragma once
#include "llvm/ADT/StringRef.h"
#include <string>

namespace ptxray {

/// Makes text of an input safe for a terminal. Control characters, including those that change the writing direction,
/// become `<U+001B>`, and bytes that are not UTF-8 become `<9B>`.
std::string escaped(llvm::StringRef text);
/// Replaces each line break and each run of spaces by one space.
std::string inOneLine(llvm::StringRef text);

} // namespace ptxray
