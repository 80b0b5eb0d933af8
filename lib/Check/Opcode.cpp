#include "Check/Opcode.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

static bool anyFormKnows(const isa::Mnemonic &mnemonic, isa::WordId word) {
  const isa::Tables &t = isa::tables();
  for (uint32_t form : isa::run(t.mnemonicForms, mnemonic.forms))
    for (const isa::Slot &slot : isa::run(t.slots, t.forms[form].slots))
      for (const isa::SlotValue &value : isa::run(t.slotValues, slot.values))
        if (value.word == word)
          return true;
  return false;
}

Opcode splitOpcode(llvm::StringRef spelling) {
  Opcode opcode;
  opcode.spelling = spelling;
  size_t begin = 0;
  while (begin < spelling.size()) {
    const size_t end = std::min(spelling.find('.', begin + 1), spelling.size());
    llvm::StringRef text = spelling.slice(begin, end);
    opcode.words.push_back({text, begin ? isa::findWord(text) : isa::WordId(0), false});
    begin = end;
  }

  // The longest dotted prefix that some entry names.
  for (size_t count = opcode.words.size(); count && !opcode.mnemonic; --count) {
    const size_t length = opcode.words[count - 1].text.end() - spelling.begin();
    opcode.mnemonic = isa::findMnemonic(spelling.take_front(length));
    opcode.mnemonicWords = count;
  }
  if (!opcode.mnemonic)
    return opcode;

  const isa::Tables &t = isa::tables();
  for (uint32_t form : isa::run(t.mnemonicForms, opcode.mnemonic->forms))
    opcode.readsValues |= t.forms[form].readsValues;

  for (size_t k = opcode.mnemonicWords; k < opcode.words.size(); ++k) {
    OpcodeWord &word = opcode.words[k];
    if (!word.id)
      continue;
    const isa::Word &known = isa::word(word.id);
    if (known.repeatable)
      for (size_t i = 1; i < k; ++i)
        word.dropped |= opcode.words[i].id == word.id;
    if (known.ignored && !anyFormKnows(*opcode.mnemonic, word.id))
      word.dropped = true;
  }
  return opcode;
}

} // namespace ptxray
