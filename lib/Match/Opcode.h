#pragma once
// A parsed dotted spelling: the mnemonic, and its words.
#include "Isa/Isa.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <string>

namespace ptxray {

struct OpcodeWord {
  llvm::StringRef text; // qualifiers include their dot
  isa::WordId id = 0;   // 0 if it is not in the vocabulary
  /// The word is repeated, or ptxas ignores it here, so it fills no slot.
  bool dropped = false;
};

struct Opcode {
  Opcode() = default;
  explicit Opcode(llvm::StringRef spelling);
  Opcode(const Opcode &) = delete; // the words refer to the spelling
  Opcode &operator=(const Opcode &) = delete;
  /// Returns whether the opcode contains the word.
  bool has(isa::WordId id) const {
    return llvm::any_of(words, [id](const OpcodeWord &word) { return word.id == id; });
  }

  const std::string spelling;
  llvm::SmallVector<OpcodeWord, 16> words; // element 0 is the name
  const isa::Mnemonic *mnemonic = nullptr; // null for an unknown instruction
  uint16_t mnemonicWords = 0;              // number of words in the mnemonic, including the name
  bool readsValues = false;                // some form depends on the values of immediates
  bool readsRegisters = false;             // some form also depends on the values of registers with constants
  bool mayCall = false;                    // a form calls a function
};

/// Returns whether the word is part of a mnemonic that begins with the name.
bool spellsInstruction(llvm::StringRef name, llvm::StringRef word);
/// Returns whether the word occurs only in mnemonics.
bool isOnlyInNames(isa::WordId word);

} // namespace ptxray
