#pragma once
// The tokens of a text, for passes that change words.
#include "Format/Words.h"
#include "Read/ReadModule.h"

namespace ptxray {

std::vector<Word> tokensOf(const ReadModule &module);
/// Returns the tokens that begin in the range.
llvm::ArrayRef<Word> within(llvm::ArrayRef<Word> tokens, Range range);
/// Returns whether a directive specifies the version, target or address size of the module.
bool isHeader(llvm::StringRef directive);
/// Returns the end of the header.
uint32_t endOfHeader(const Ast &ast);

} // namespace ptxray
