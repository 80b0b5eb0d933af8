// Parses a spelling: finds the mnemonic at its start, and the words that are ignored.
#include "Match/Opcode.h"
#include "Source/Narrow.h"
#include "llvm/ADT/STLExtras.h"
#include <vector>

namespace ptxray {

static bool anyFormKnows(const isa::Mnemonic &mnemonic, isa::WordId word) {
  const isa::Tables &t = isa::tables();
  for (uint32_t form : isa::run(t.mnemonicForms, mnemonic.forms))
    for (const isa::Slot &slot : isa::run(t.slots, t.forms[form].slots))
      for (const isa::SlotValue &value : isa::run(t.slotValues, slot.values))
        if (value.word == word && !slot.suffix)
          return true;
  return false;
}

static bool namesFunction(const isa::Form &form) {
  return llvm::any_of(isa::run(isa::tables().operands, form.operands),
                      [](const isa::OperandDecl &operand) { return operand.role == isa::OperandRole::Function; });
}

/// Returns whether the opcode contains all mandatory words of the form, anywhere.
static bool hasDemandedWords(const isa::Form &form, llvm::ArrayRef<OpcodeWord> words) {
  const isa::Tables &t = isa::tables();
  return llvm::all_of(isa::run(t.slots, form.slots), [&](const isa::Slot &slot) {
    auto stands = [&](const isa::SlotValue &value) {
      return llvm::any_of(words, [&](const OpcodeWord &word) { return word.id == value.word; });
    };
    return slot.optional || slot.suffix || llvm::any_of(isa::run(t.slotValues, slot.values), stands);
  });
}

/// Returns whether an ignored word of the same kind precedes this one: ptxas accepts only one of them.
static bool conflicts(llvm::ArrayRef<OpcodeWord> words, size_t at) {
  const uint8_t kind = isa::word(words[at].id).kind;
  return kind && !isa::word(words[at].id).repeatable &&
         llvm::any_of(words.take_front(at),
                      [&](const OpcodeWord &before) { return before.dropped && isa::word(before.id).kind == kind; });
}

Opcode::Opcode(llvm::StringRef text) : spelling(text) {
  const llvm::StringRef spelling = this->spelling;
  size_t begin = 0;
  constexpr size_t most = 256; // no instruction has this many words, so any fault is among the first ones
  while (begin < spelling.size() && words.size() < most) {
    const size_t end = std::min(spelling.find('.', begin + 1), spelling.size());
    llvm::StringRef text = spelling.slice(begin, end);
    words.push_back({text, begin ? isa::findWord(text) : isa::WordId(0), false});
    begin = end;
  }

  // Find the longest dotted prefix that an entry names.
  for (size_t count = words.size(); count && !mnemonic; --count) {
    const size_t length = words[count - 1].text.end() - spelling.begin();
    mnemonic = isa::findMnemonic(spelling.take_front(length));
    mnemonicWords = narrow<uint16_t>(count);
  }
  mayCall = !mnemonic; // a misspelt instruction may be a call
  if (!mnemonic)
    return;

  const isa::Tables &t = isa::tables();
  for (uint32_t form : isa::run(t.mnemonicForms, mnemonic->forms)) {
    readsValues |= t.forms[form].readsValues;
    readsRegisters |= t.forms[form].readsRegisters && hasDemandedWords(t.forms[form], words);
    mayCall |= namesFunction(t.forms[form]);
  }
  readsValues |= readsRegisters;
  // The fingerprint does not show whether a constant fits into 8 bits.
  readsValues |= llvm::any_of(words, [](const OpcodeWord &word) { return word.id && isa::word(word.id).bits == 8; });

  for (size_t k = mnemonicWords; k < words.size(); ++k) {
    OpcodeWord &word = words[k];
    if (!word.id)
      continue;
    const isa::Word &known = isa::word(word.id);
    bool repeats = false;
    for (size_t i = 1; i < k; ++i)
      repeats |= words[i].id == word.id;
    const bool skipped = known.skipped && !anyFormKnows(*mnemonic, word.id);
    if (repeats)
      word.dropped = known.repeatable && (skipped || !known.skipped);
    else
      word.dropped =
          llvm::is_contained(isa::run(t.wordLists, mnemonic->skipped), word.id) || (skipped && !conflicts(words, k));
  }
}

bool spellsInstruction(llvm::StringRef name, llvm::StringRef word) {
  return llvm::any_of(isa::mnemonics(), [&](const isa::Mnemonic &mnemonic) {
    llvm::StringRef rest = mnemonic.text();
    if (!rest.consume_front(name) || !rest.starts_with("."))
      return false;
    const size_t at = rest.find(word);
    return at != llvm::StringRef::npos && (at + word.size() == rest.size() || rest[at + word.size()] == '.');
  });
}

bool isOnlyInNames(isa::WordId word) {
  static const std::vector<bool> inSlots = [] {
    const isa::Tables &t = isa::tables();
    std::vector<bool> result(t.words.size());
    for (const isa::Form &form : t.forms)
      for (const isa::Slot &slot : isa::run(t.slots, form.slots).drop_front(form.mnemonicSlots))
        for (const isa::SlotValue &value : isa::run(t.slotValues, slot.values))
          result[value.word] = true;
    return result;
  }();
  return !inSlots[word] && isa::word(word).wordClass == isa::WordClass::Free;
}

} // namespace ptxray
