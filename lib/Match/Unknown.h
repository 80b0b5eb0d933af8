#pragma once
// Unknown names of instructions and unknown qualifiers, and what they may mean.
#include "Match/Finding.h"
#include "Match/Opcode.h"

namespace ptxray {

Finding unknownInstruction(const Opcode &opcode);
/// The PTX equivalent of an instruction of another language, or nothing: checks/foreign_names.cpp.
llvm::StringRef adviceOnForeignName(llvm::StringRef name);
/// The PTX type for one of C or LLVM: `.s32` for `.int` or `.i32`; empty if neither has the type:
/// checks/foreign_names.cpp.
llvm::StringRef typeOfOtherLanguage(llvm::StringRef word);
/// The nearest spelling among the words that some form of the instruction knows.
llvm::StringRef nearestWord(const isa::Mnemonic &mnemonic, llvm::StringRef misspelt);
/// The words that differ from `.v3` only in the number, `.v2` and `.v4`; for `.kind::bf16`, all that begin with
/// `.kind::`.
llvm::SmallVector<isa::WordId, 8> numberedWords(const isa::Mnemonic &mnemonic, llvm::StringRef misspelt);

} // namespace ptxray
