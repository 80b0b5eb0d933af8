// Finds the nearest spellings among mnemonics, or among the words of one instruction.
#include "Match/Unknown.h"
#include "Diagnostics/Nearest.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

namespace ptxray {

/// Returns `tex.2d` for `tex2D`, or `ld.global` for `ldg`: a name and the beginning of one of its words. Returns an
/// empty string if there is no single one.
static std::string joinedName(llvm::StringRef written) {
  const isa::Tables &t = isa::tables();
  const std::string lower = written.lower();
  std::string found;
  for (const isa::Mnemonic &mnemonic : isa::mnemonics()) {
    llvm::StringRef rest = lower;
    if (llvm::StringRef(mnemonic.text()).contains('.') || !rest.consume_front(mnemonic.text()) || rest.empty())
      continue;
    for (uint32_t form : isa::run(t.mnemonicForms, mnemonic.forms))
      for (const isa::Slot &slot : isa::run(t.slots, t.forms[form].slots))
        for (const isa::SlotValue &value : isa::run(t.slotValues, slot.values)) {
          const isa::Word &word = isa::word(value.word);
          const llvm::StringRef text = llvm::StringRef(word.text()).drop_front();
          const bool isSpace = rest.size() == 1 && word.wordClass == isa::WordClass::Space && text.starts_with(rest) &&
                               !text.contains(':');
          if (text != rest && !isSpace)
            continue;
          const std::string joined = std::string(mnemonic.text()) + std::string(word.text());
          if (!found.empty() && found != joined)
            return "";
          found = joined;
        }
  }
  return found;
}

Finding unknownInstruction(const Opcode &opcode) {
  // Only the first word is compared with names, because the others may be qualifiers.
  const llvm::StringRef name = opcode.words.front().text;
  Nearest nearest(name, name.size() < 4 ? 2 : 3);
  bool known = false;
  for (const isa::Mnemonic &mnemonic : isa::mnemonics()) {
    const llvm::StringRef base = llvm::StringRef(mnemonic.text()).split('.').first;
    known |= base == name;
    nearest.offer(base);
  }
  if (known && opcode.words.size() > 1) {
    const OpcodeWord &second = opcode.words[1];
    if (!second.id)
      return wordFinding(DiagId::UnknownQualifier, {FindingPlace::Word, 1}, second.text);
    // Finds a word that belongs right after the name, but comes later.
    for (uint16_t k = 2; k < opcode.words.size(); ++k)
      if (spellsInstruction(name, opcode.words[k].text) &&
          (isOnlyInNames(opcode.words[k].id) || !spellsInstruction(name, second.text)))
        return wordFinding(DiagId::MisplacedQualifier,
                           opcode.words[k - 1].text == opcode.words[k].text
                               ? FindingPlace::at(FindingPlace::Word, k - 1, 2) // `.store.store`
                               : FindingPlace{FindingPlace::Word, k},
                           opcode.words[k].text, name);
    const std::string beginning = (name + second.text).str();
    const bool begins = llvm::any_of(
        isa::mnemonics(), [&](const isa::Mnemonic &one) { return llvm::StringRef(one.text()).starts_with(beginning); });
    const bool isType = isa::word(second.id).wordClass == isa::WordClass::Type; // `dp2a.u32`
    return wordFinding(begins || isType || spellsInstruction(name, second.text)
                           ? IdTakingTexts<1>(DiagId::IncompleteInstruction)
                           : DiagId::UnknownInstruction,
                       {FindingPlace::Word, 0, 2}, beginning);
  }
  Finding f = wordFinding(known ? IdTakingTexts<1>(DiagId::IncompleteInstruction) : DiagId::UnknownInstruction,
                          {FindingPlace::Word, 0}, name);
  if (const std::string joined = known ? "" : joinedName(name); !joined.empty())
    f.remedy = {Remedy::ReplaceWord, 0, joined};
  else if (!known && !nearest.only().empty())
    f.remedy = {Remedy::ReplaceWord, 0, nearest.only().str()};
  return f;
}

static void addNear(isa::WordId id, llvm::StringRef misspelt, unsigned &distance,
                    llvm::SmallVector<isa::WordId, 4> &near) {
  const llvm::StringRef text = isa::word(id).text();
  // Words that are similar before the last `::` may differ after it, so only the ends are compared.
  const size_t head = misspelt.rfind("::") + 2;
  const bool isSameHead = head > 1 && text.starts_with(misspelt.take_front(head)) && head < misspelt.size();
  const llvm::StringRef written = isSameHead ? misspelt.drop_front(head) : misspelt.drop_front();
  const llvm::StringRef known = isSameHead ? text.drop_front(head) : text.drop_front();
  Nearest nearest(written, written.size() < 4 ? 2 : 3);
  unsigned here = 4;
  if (written.size() > 1 && known.starts_with(written) && !llvm::isDigit(known[written.size()]))
    here = 0;
  else if (nearest.offer(known))
    here = written.equals_insensitive(known) ? 1 : 1 + std::max(1u, written.edit_distance(known));
  if (here > distance || here == 4)
    return;
  if (here < distance)
    near.clear();
  distance = here;
  if (!llvm::is_contained(near, id))
    near.push_back(id);
}

llvm::SmallVector<isa::WordId, 4> similarWords(const isa::Mnemonic &mnemonic, llvm::StringRef misspelt) {
  const isa::Tables &t = isa::tables();
  std::vector<bool> seen(t.words.size());
  llvm::SmallVector<isa::WordId, 4> near;
  unsigned distance = 4;
  for (uint32_t form : isa::run(t.mnemonicForms, mnemonic.forms))
    for (const isa::Slot &slot : isa::run(t.slots, t.forms[form].slots))
      for (const isa::SlotValue &value : isa::run(t.slotValues, slot.values)) {
        if (!seen[value.word])
          addNear(value.word, misspelt, distance, near);
        seen[value.word] = true;
      }
  return near;
}

bool isOtherNumber(isa::WordId word, llvm::StringRef written) {
  auto only = [](llvm::StringRef text, bool digits) {
    std::string kept = text.str();
    std::erase_if(kept, [digits](char c) { return llvm::isDigit(c) != digits; });
    return kept;
  };
  const llvm::StringRef text = isa::word(word).text();
  std::string ofWord = only(text, true), ofWritten = only(written, true);
  llvm::sort(ofWord);
  llvm::sort(ofWritten);
  return only(text, false) == only(written, false) && ofWord != ofWritten;
}

llvm::SmallVector<isa::WordId, 8> numberedWords(const isa::Mnemonic &mnemonic, llvm::StringRef misspelt) {
  const isa::Tables &t = isa::tables();
  const size_t colons = misspelt.rfind("::");
  const bool isNumbered = colons == llvm::StringRef::npos;
  const llvm::StringRef stem = isNumbered ? misspelt.take_until(llvm::isDigit) : misspelt.take_front(colons + 2);
  llvm::SmallVector<isa::WordId, 8> words;
  if (stem.size() < 2 || stem.size() == misspelt.size())
    return words;
  for (uint32_t form : isa::run(t.mnemonicForms, mnemonic.forms))
    for (const isa::Slot &slot : isa::run(t.slots, t.forms[form].slots))
      for (const isa::SlotValue &value : isa::run(t.slotValues, slot.values)) {
        const llvm::StringRef text = isa::word(value.word).text();
        const bool isOfKind = isNumbered ? text.take_until(llvm::isDigit) == stem : text.starts_with(stem);
        if (isOfKind && text.size() > stem.size() && !llvm::is_contained(words, value.word))
          words.push_back(value.word);
      }
  return words;
}

} // namespace ptxray
