#pragma once
// Names of instructions and qualifiers that the tables do not have, and what may be meant.
#include "Match/Finding.h"
#include "Match/Opcode.h"

namespace ptxray {

Finding unknownInstruction(const Opcode &opcode);
/// The nearest spelling among the words that some form of the instruction knows.
llvm::StringRef nearestWord(const isa::Mnemonic &mnemonic, llvm::StringRef misspelt);
/// Of `.v3` the words that differ in the number alone: `.v2`, `.v4`.
llvm::SmallVector<isa::WordId, 8> numberedWords(const isa::Mnemonic &mnemonic, llvm::StringRef misspelt);

} // namespace ptxray
