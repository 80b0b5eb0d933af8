#pragma once
#include "llvm/ADT/StringRef.h"
#include <string>

namespace ptxray {

/// Text of an input as a terminal may see it: control characters, also those that turn the direction of writing, become
/// `<U+001B>` and bytes that are not UTF-8 `<9B>`.
std::string escaped(llvm::StringRef text);

} // namespace ptxray
