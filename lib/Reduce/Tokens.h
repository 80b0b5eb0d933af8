#pragma once
// The tokens of a text, for passes that work on words.
#include "Format/Words.h"
#include "Read/ReadModule.h"

namespace ptxray {

std::vector<Word> tokensOf(const ReadModule &module);
/// Returns those that begin in the range.
llvm::ArrayRef<Word> within(llvm::ArrayRef<Word> tokens, Range range);
/// Returns whether a directive says what the module is: its version, target or size of addresses.
bool isHeader(llvm::StringRef directive);
/// Returns the end of the header.
uint32_t endOfHeader(const Ast &ast);

} // namespace ptxray
