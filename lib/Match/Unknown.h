#pragma once
// Unknown names of instructions and unknown qualifiers, and what they may mean.
#include "Match/Finding.h"
#include "Match/Opcode.h"

namespace ptxray {

Finding unknownInstruction(const Opcode &opcode);
/// Returns the PTX equivalent of an instruction of another language, or nothing: checks/foreign_names.cpp.
llvm::StringRef adviceOnForeignName(llvm::StringRef name);
/// `.gpu` for `device`, a scope of CUDA C++; empty: nothing.
llvm::StringRef qualifierOfOtherLanguage(llvm::StringRef name);
/// Returns the words that may be meant, among those that some form of the instruction knows: those that the misspelt
/// one begins, else those with the fewest other letters.
llvm::SmallVector<isa::WordId, 4> similarWords(const isa::Mnemonic &mnemonic, llvm::StringRef misspelt);
/// Returns the words that differ from `.v3` only in the number, `.v2` and `.v4`; for `.kind::bf16`, all that begin with
/// `.kind::`.
llvm::SmallVector<isa::WordId, 8> numberedWords(const isa::Mnemonic &mnemonic, llvm::StringRef misspelt);

} // namespace ptxray
