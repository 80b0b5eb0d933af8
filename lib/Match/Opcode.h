#pragma once
// A dotted spelling taken apart: the instruction it names, and its words.
#include "Isa/Isa.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <string>

namespace ptxray {

struct OpcodeWord {
  llvm::StringRef text; // qualifiers with their dot
  isa::WordId id = 0;   // 0: not in the vocabulary
  /// The word is repeated, or ptxas ignores it here: no slot is consulted.
  bool dropped = false;
};

struct Opcode {
  Opcode() = default;
  explicit Opcode(llvm::StringRef spelling);
  Opcode(const Opcode &) = delete; // the words point into the spelling
  Opcode &operator=(const Opcode &) = delete;
  /// Returns whether the opcode contains the word.
  bool has(isa::WordId id) const {
    return llvm::any_of(words, [id](const OpcodeWord &word) { return word.id == id; });
  }

  const std::string spelling;
  llvm::SmallVector<OpcodeWord, 16> words; // 0 is the name
  const isa::Mnemonic *mnemonic = nullptr; // null: unknown instruction
  uint16_t mnemonicWords = 0;              // words that spell it, the name included
  bool readsValues = false;                // the values of immediates matter to some form
  bool readsRegisters = false;             // so do those of registers that hold constants
  bool mayCall = false;                    // some form names a function that control goes to
};

/// Returns whether the word is part of a mnemonic that begins with the name.
bool spellsInstruction(llvm::StringRef name, llvm::StringRef word);
/// Returns whether the word occurs only in names of instructions.
bool isOnlyInNames(isa::WordId word);

} // namespace ptxray
