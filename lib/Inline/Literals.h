#pragma once
#include "Inline/CppTokens.h"
#include "Inline/MappedText.h"

namespace ptxray {

/// Appends the value of a C++ string literal.
void appendLiteral(const CppToken &literal, MappedText &out);
/// Appends the text between quotes, with the escape sequences of C++, Python and Rust.
void appendEscaped(llvm::StringRef content, uint32_t from, MappedText &out);

} // namespace ptxray
