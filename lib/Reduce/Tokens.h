#pragma once
// The tokens of a text, for passes that work on words.
#include "Check/ReadModule.h"
#include "Format/Words.h"

namespace ptxray {

std::vector<Word> tokensOf(const ReadModule &module);
/// Those that begin in the range.
llvm::ArrayRef<Word> within(llvm::ArrayRef<Word> tokens, Range range);
/// Is true if a directive says what the module is: its version, target or size of addresses.
bool isHeader(llvm::StringRef directive);
/// The end of the header.
uint32_t endOfHeader(const Ast &ast);

} // namespace ptxray
