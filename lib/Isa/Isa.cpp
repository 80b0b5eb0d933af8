#include "Isa/Isa.h"
#include "Source/Narrow.h"
#include "llvm/ADT/STLExtras.h"
#include <cassert>
#include <cstring>

namespace ptxray::isa {

/// Compares texts. `<` would do the same, but GCC generates three calls for it, and each lookup of a spelling takes a
/// dozen comparisons.
[[gnu::always_inline]] static inline bool isBefore(Text a, Text b) {
  const int order = std::memcmp(a.data(), b.data(), std::min(a.size(), b.size()));
  return order < 0 || (order == 0 && a.size() < b.size());
}

static Text textOf(StoredText stored, const Tables &all) {
  const uint32_t *starts = all.textStarts.data() + stored.number;
  return {all.characters.data() + starts[0], starts[1] - starts[0]};
}

Text StoredText::operator()() const { return textOf(*this, tables()); }

/// Finds an element of an array that is sorted by `name`; null if there is none.
template <typename T> static const T *find(llvm::ArrayRef<T> sorted, StoredText T::*name, Text wanted) {
  const Tables &all = tables();
  const T *found =
      llvm::partition_point(sorted, [&](const T &one) { return isBefore(textOf(one.*name, all), wanted); });
  return found != sorted.end() && textOf(found->*name, all) == wanted ? found : nullptr;
}

const Word &word(WordId id) { return tables().words[id]; }

WordId findWord(llvm::StringRef text) {
  const Word *found = find(tables().words, &Word::text, text);
  return found ? static_cast<WordId>(found - tables().words.data()) : WordId(0);
}
uint8_t wordKind(Text name) {
  const llvm::ArrayRef<StoredText> kinds = tables().wordKinds;
  return narrow<uint8_t>(llvm::find_if(kinds, [&](StoredText kind) { return kind() == name; }) - kinds.begin());
}
WordId wholeSpace(WordId space) {
  const llvm::StringRef text = word(space).text();
  const size_t colons = text.find(':');
  return colons == llvm::StringRef::npos ? space : findWord(text.take_front(colons));
}
const Mnemonic *findMnemonic(llvm::StringRef dotted) { return find(tables().mnemonics, &Mnemonic::text, dotted); }
llvm::ArrayRef<Mnemonic> mnemonics() { return tables().mnemonics; }
llvm::ArrayRef<Entry> entries() { return tables().entries; }
llvm::ArrayRef<Target> targets() { return tables().targets; }
int findTarget(llvm::StringRef name) {
  const Text wanted(name);
  if (wanted.size() < 2)
    return -1;
  const Text end = wanted.substr(wanted.size() - 2);
  const auto endsAlike = [&](Text one) { return one.back() == end[1] && one[one.size() - 2] == end[0]; };
  const llvm::ArrayRef<Target> all = targets();
  for (size_t i = 0; i < all.size(); ++i) // most texts differ at their end
    if (const Text name = all[i].name(); name.size() == wanted.size() && endsAlike(name) && name == wanted)
      return static_cast<int>(i);
  return -1;
}
llvm::ArrayRef<uint16_t> versions() { return tables().versions; }
llvm::ArrayRef<SpecialRegister> specialRegisters() { return tables().specialRegisters; }

const SpecialRegister *findSpecialRegister(llvm::StringRef name) {
  return find(specialRegisters(), &SpecialRegister::name, name);
}

const Directive *findDirective(llvm::StringRef name) { return find(tables().directives, &Directive::name, name); }
const Directive *findPragma(llvm::StringRef name) { return find(tables().pragmas, &Directive::name, name); }
const RuntimeFunction *findRuntimeFunction(llvm::StringRef name) {
  return find(tables().runtimeFunctions, &RuntimeFunction::name, name);
}

Meaning meaning(MeaningRow row) { return {row.name(), row.mnemonic(), row.topic(), row.text()}; }

std::optional<Meaning> findMeaning(llvm::StringRef name, llvm::StringRef mnemonic) {
  const llvm::ArrayRef<MeaningRow> all = tables().meanings;
  std::optional<Meaning> best; // the longest prefix applies; longer ones come later
  for (const MeaningRow *row = llvm::partition_point(all, [&](MeaningRow m) { return m.name() < Text(name); });
       row != all.end() && row->name() == Text(name); ++row) {
    const Meaning one = meaning(*row);
    if (llvm::StringRef rest = mnemonic;
        one.mnemonic.empty() || (rest.consume_front(one.mnemonic) && (rest.empty() || rest.starts_with("."))))
      best = one;
  }
  return best;
}
const Example *findExample(llvm::StringRef name) { return find(tables().examples, &Example::name, name); }

uint16_t versionMeaning(uint16_t version) {
  const auto at = llvm::lower_bound(versions(), version);
  return at != versions().end() && *at == version ? tables().versionMeanings[at - versions().begin()] : version;
}

std::string versionText(uint16_t version) {
  assert(version >= 100 && "a version is 100 times its first number and its second");
  return std::to_string(version / 100) + "." + std::to_string(version % 100);
}

} // namespace ptxray::isa
