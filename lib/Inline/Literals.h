#pragma once
#include "Inline/CppTokens.h"
#include "Inline/MappedText.h"

namespace ptxray {

/// Appends what a string literal of C++ stands for.
void appendLiteral(const CppToken &literal, MappedText &out);
/// Appends what is between quotes, with escapes as C++, Python and Rust have them.
void appendEscaped(llvm::StringRef content, uint32_t from, MappedText &out);

} // namespace ptxray
