#pragma once
#include "Inline/CppTokens.h"
#include "Inline/MappedText.h"

namespace ptxray {

/// Appends the value of a string literal of C++.
void appendLiteral(const CppToken &literal, MappedText &out);
/// Appends text between quotes, with the escapes of C++, Python and Rust.
void appendEscaped(llvm::StringRef content, uint32_t from, MappedText &out);

} // namespace ptxray
