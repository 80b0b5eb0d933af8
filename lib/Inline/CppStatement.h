#pragma once
// One asm statement of C++, and what tells it from other uses of the keyword.
#include "Inline/CppTokens.h"
#include "Inline/Statement.h"

namespace ptxray {

bool isLiteral(const CppToken &token);
/// Returns whether the word may come between the keyword and the parenthesis: `volatile`, `goto`.
bool isQualifier(llvm::StringRef name);
/// Returns, for each opening parenthesis, the distance to the closing one; 0 if there is none.
std::vector<uint32_t> closingOf(llvm::ArrayRef<CppToken> tokens);
/// Returns whether `asm` gives a declaration its name: `float f(float) __asm("llvm.sin.f32");`. `before` has the tokens
/// of the declaration or statement before the keyword, `after` those behind it.
bool isLabel(llvm::ArrayRef<CppToken> before, llvm::ArrayRef<CppToken> after);

/// Returns the parts of a statement between its colons.
std::vector<llvm::ArrayRef<CppToken>> splitAtColons(llvm::ArrayRef<CppToken> tokens);
/// Fills a statement from its parts. Returns why it cannot, or an empty text.
std::string readParts(llvm::ArrayRef<llvm::ArrayRef<CppToken>> parts, InlineStatement &statement);

} // namespace ptxray
