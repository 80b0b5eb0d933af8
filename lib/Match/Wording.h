#pragma once
// Formats words, kinds and numbers of the tables for messages.
#include "Diagnostics/Diagnostic.h"
#include "Isa/Isa.h"

namespace ptxray {

std::string quote(std::string_view text);
std::string listText(llvm::ArrayRef<std::string> parts, const char *conjunction);
/// Lists the words. If there are many, lists those most similar to the written one.
std::string wordsText(llvm::ArrayRef<isa::WordId> words, const char *conjunction = "or", llvm::StringRef written = "");
/// Lists the first words in order, with an ellipsis if there are more.
std::string nearestText(llvm::ArrayRef<isa::WordId> words);
std::string rangesText(llvm::ArrayRef<isa::ValueRange> ranges);

Kind kindOf(isa::WordId word); // `Kind::Other` if the word has no kind

/// Returns the note for code that only older releases of ptxas accept; `release` is 1301 for 13.1.
std::string releaseNote(uint16_t release);
/// Returns the release of ptxas that an expression names, or 0.
uint16_t ptxasRelease(isa::ExprId condition);

} // namespace ptxray
