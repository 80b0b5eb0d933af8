#pragma once
// Questions to the generated tables. Constant data; nothing here is about a particular module.
#include "Isa/Tables.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace ptxray::isa {

const Word &word(WordId id);
WordId findWord(llvm::StringRef text); // 0: no such word
const Mnemonic *findMnemonic(llvm::StringRef dotted);
llvm::ArrayRef<Mnemonic> mnemonics();
llvm::ArrayRef<Entry> entries();
llvm::ArrayRef<Target> targets();
int findTarget(llvm::StringRef name); // index, aliases followed; -1: unknown
llvm::ArrayRef<uint16_t> versions();  // ascending, 8.6 is 806
const SpecialRegister *findSpecialRegister(llvm::StringRef name);

} // namespace ptxray::isa
