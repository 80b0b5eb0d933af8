#pragma once
#include "llvm/ADT/StringRef.h"
#include <string>

namespace ptxray {

/// Text of an input as a terminal may see it: control characters and bytes beyond ASCII become
/// `<U+001B>` or, where they are no UTF-8, `<9B>`.
std::string escaped(llvm::StringRef text);

} // namespace ptxray
