#pragma once
#include "llvm/ADT/StringRef.h"
#include <string>

namespace ptxray {

/// Makes text of an input safe for a terminal: control characters, including those that change the direction of
/// writing, become `<U+001B>`, and bytes that are not UTF-8 become `<9B>`.
std::string escaped(llvm::StringRef text);
/// Puts one space in the place of each line break and of each row of spaces.
std::string inOneLine(llvm::StringRef text);

} // namespace ptxray
