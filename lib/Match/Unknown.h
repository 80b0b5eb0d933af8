#pragma once
// Names of instructions and qualifiers that the tables do not have, and what may be meant.
#include "Match/Finding.h"
#include "Match/Opcode.h"

namespace ptxray {

Finding unknownInstruction(const Opcode &opcode);
/// What there is in PTX for an instruction that another language has, or nothing: checks/foreign_names.cpp.
llvm::StringRef adviceOnForeignName(llvm::StringRef name);
/// `.s32` for `.int` or `.i32`; empty if neither C nor LLVM has the type: checks/foreign_names.cpp.
llvm::StringRef typeOfOtherLanguage(llvm::StringRef word);
/// The nearest spelling among the words that some form of the instruction knows.
llvm::StringRef nearestWord(const isa::Mnemonic &mnemonic, llvm::StringRef misspelt);
/// Of `.v3` the words that differ in the number alone: `.v2`, `.v4`; of `.kind::bf16` all that begin with `.kind::`.
llvm::SmallVector<isa::WordId, 8> numberedWords(const isa::Mnemonic &mnemonic, llvm::StringRef misspelt);

} // namespace ptxray
