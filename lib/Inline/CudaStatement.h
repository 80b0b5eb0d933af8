#pragma once
#include "Inline/CppTokens.h"
#include "Inline/Statement.h"
#include "llvm/ADT/ArrayRef.h"

namespace ptxray {

/// Returns the parts of a statement between its colons.
std::vector<llvm::ArrayRef<CppToken>> splitAtColons(llvm::ArrayRef<CppToken> tokens);
/// Returns whether the token is a string literal.
bool isLiteral(const CppToken &token);
/// Fills a statement from its parts; returns why that is not possible, or an empty text.
std::string readParts(llvm::ArrayRef<llvm::ArrayRef<CppToken>> parts, InlineStatement &statement);

} // namespace ptxray
