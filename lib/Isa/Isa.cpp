#include "Isa/Isa.h"
#include "llvm/ADT/STLExtras.h"
#include <array>

namespace ptxray::isa {

namespace {
#include "IsaTables.inc"

constinit const Tables all = {words, wordKinds,  wordLists,  exprs,          exprArgs,      gates,
                    warnings,   targetSets, ranges,     terms,          spaceRefs,     operands,
                    patterns,   slotValues, slots,      columnMembers,  columns,       cells,
                    rowLines,   tableList,  rules,      formTables,     formRules,     formChecks,
                    checkNames, effects, forms,      entryList,  entryMnemonics, mnemonicForms, mnemonicList,
                    targetList};

/// Of an array that is sorted by `name`; null without such an element.
template <typename T>
const T *find(llvm::ArrayRef<T> sorted, Text T::*name, Text wanted) {
  const T *found = llvm::partition_point(sorted, [&](const T &one) { return one.*name < wanted; });
  return found != sorted.end() && found->*name == wanted ? found : nullptr;
}
} // namespace

const Tables &tables() { return all; }
const Word &word(WordId id) { return words[id]; }

WordId findWord(llvm::StringRef text) {
  const Word *found = find(all.words, &Word::text, text);
  return found ? static_cast<WordId>(found - words.data()) : WordId(0);
}
const Mnemonic *findMnemonic(llvm::StringRef dotted) {
  return find(all.mnemonics, &Mnemonic::text, dotted);
}
llvm::ArrayRef<Mnemonic> mnemonics() { return all.mnemonics; }
llvm::ArrayRef<Entry> entries() { return all.entries; }
llvm::ArrayRef<Target> targets() { return all.targets; }
int findTarget(llvm::StringRef name) {
  for (size_t i = 0; i < targetList.size(); ++i)
    if (Text(name) == targetList[i].name)
      return static_cast<int>(i);
  return -1;
}
llvm::ArrayRef<uint16_t> versions() { return versionList; }
llvm::ArrayRef<SpecialRegister> specialRegisters() { return registers; }

const SpecialRegister *findSpecialRegister(llvm::StringRef name) {
  return find(llvm::ArrayRef<SpecialRegister>(registers), &SpecialRegister::name, name);
}

} // namespace ptxray::isa
