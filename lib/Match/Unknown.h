#pragma once
// Finds possible meanings of unknown instructions and unknown qualifiers.
#include "Match/Finding.h"
#include "Match/Opcode.h"

namespace ptxray {

Finding unknownInstruction(const Opcode &opcode);
/// Returns the PTX equivalent for an instruction of another language, or nothing. Implemented in
/// checks/foreign_names.cpp.
llvm::StringRef adviceOnForeignName(llvm::StringRef name);
/// Returns `.gpu` for `device`, a scope of CUDA C++, and so on, or an empty string.
llvm::StringRef qualifierOfOtherLanguage(llvm::StringRef name);
/// Returns the words of the instruction's forms that may be intended: words that begin with the misspelt one, or
/// otherwise those with the fewest different letters.
llvm::SmallVector<isa::WordId, 4> similarWords(const isa::Mnemonic &mnemonic, llvm::StringRef misspelt);
/// Returns whether a word differs from the written one only in numbers: `.x4` and `.x3`. Swapped digits count as a
/// typo.
bool isOtherNumber(isa::WordId word, llvm::StringRef written);
/// Returns the words that differ from the unknown one only in the number: `.v2` and `.v4` for `.v3`. For `.kind::bf16`,
/// returns all words that begin with `.kind::`.
llvm::SmallVector<isa::WordId, 8> numberedWords(const isa::Mnemonic &mnemonic, llvm::StringRef misspelt);

} // namespace ptxray
