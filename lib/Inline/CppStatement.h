#pragma once
// Parses one asm statement of C++, and distinguishes it from other uses of the keyword.
#include "Inline/CppTokens.h"
#include "Inline/Statement.h"

namespace ptxray {

bool isLiteral(const CppToken &token);
/// Returns whether the word is permitted between the keyword and the parenthesis: `volatile`, `goto`.
bool isQualifier(llvm::StringRef name);
/// Returns, for each opening parenthesis, the distance to the closing one; 0 if there is none.
std::vector<uint32_t> closingOf(llvm::ArrayRef<CppToken> tokens);
/// Returns whether `asm` specifies the name of a declaration: `float f(float) __asm("llvm.sin.f32");`. `before`
/// contains the tokens of the declaration or statement before the keyword, `after` those after it.
bool isLabel(llvm::ArrayRef<CppToken> before, llvm::ArrayRef<CppToken> after);

/// Splits a statement at its colons.
std::vector<llvm::ArrayRef<CppToken>> splitAtColons(llvm::ArrayRef<CppToken> tokens);
/// Fills a statement from its parts. Returns the problem, or an empty string on success.
std::string readParts(llvm::ArrayRef<llvm::ArrayRef<CppToken>> parts, InlineStatement &statement);

} // namespace ptxray
