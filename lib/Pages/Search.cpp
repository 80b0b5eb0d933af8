#include "Pages/Search.h"
#include "Diagnostics/Nearest.h"
#include "Isa/Directives.h"
#include "Isa/Titles.h"
#include "Pages/Explain.h"
#include "Pages/Pages.h"
#include "Pages/Related.h"
#include "RulePages/RulePages.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

namespace ptxray {

using llvm::StringRef;

// ------------------------------------------------------------------------------------------- names

/// Returns all names except those of concepts: rules, instructions and their prefixes, directives, registers, targets,
/// words.
static llvm::SmallVector<StringRef> allNames() {
  const isa::Tables &tables = isa::tables();
  llvm::SmallVector<StringRef> names;
  for (const RulePage &page : rulePages())
    names.push_back(page.id);
  for (const isa::Mnemonic &mnemonic : isa::mnemonics()) {
    names.push_back(mnemonic.text());
    for (size_t at = names.back().rfind('.'); at != StringRef::npos; at = names.back().rfind('.'))
      names.push_back(names.back().take_front(at));
  }
  for (const isa::Directive &directive : tables.directives)
    names.push_back(directive.name());
  for (const isa::Directive &pragma : tables.pragmas)
    names.push_back(pragma.name());
  for (const isa::SpecialRegister &reg : isa::specialRegisters())
    names.push_back(reg.name());
  for (const isa::Target &target : isa::targets())
    names.push_back(target.name());
  for (const isa::Word &word : tables.words.drop_front())
    if (word.wordClass == isa::WordClass::Type || isa::findMeaning(word.text()))
      names.push_back(word.text());
  llvm::StringSet<> known;
  llvm::erase_if(names, [&](StringRef name) { return !known.insert(name).second; });
  return names;
}

/// Returns the letters and digits of a name, in lower case.
static std::string plain(StringRef name) {
  std::string text;
  for (const char c : name)
    if (llvm::isAlnum(c))
      text += llvm::toLower(c);
  return text;
}

std::vector<std::string> namesLike(StringRef written) {
  StringRef base = written;
  for (const StringRef component : {".x", ".y", ".z"})
    base.consume_back(component);
  std::string wanted = plain(base);
  if (StringRef(wanted).starts_with("compute"))
    wanted.replace(0, StringRef("compute").size(), "sm");
  std::vector<std::string> same, ending;
  if (wanted.size() < 2)
    return same;
  for (const StringRef name : allNames()) {
    if (plain(name) == wanted)
      same.push_back(name.str());
    else if (name.contains("::") && plain(name.rsplit("::").second) == wanted)
      ending.push_back(name.str());
  }
  return same.empty() ? ending : same;
}

/// Returns how many letters may differ between a name and its misspelling.
static unsigned mostSlips(StringRef written) { return static_cast<unsigned>(std::max<size_t>(1, written.size() / 3)); }

/// Returns the opcode with its first word corrected: `shfl.sync.idx` for `shlf.sync.idx`.
static std::string likelyOpcode(StringRef written) {
  const StringRef slip = written.split('.').first, rest = written.drop_front(slip.size());
  if (llvm::any_of(isa::mnemonics(), [&](const auto &one) { return StringRef(one.text()).split('.').first == slip; }))
    return "";
  for (unsigned limit = 2; !rest.empty() && limit <= mostSlips(slip) + 1; ++limit)
    for (const isa::Mnemonic &mnemonic : isa::mnemonics()) {
      const StringRef first = StringRef(mnemonic.text()).split('.').first;
      if (!Nearest(slip, limit).offer(first))
        continue;
      const std::string whole = first.str() + rest.str();
      const bool isBeginning = llvm::any_of(
          isa::mnemonics(), [&](const isa::Mnemonic &one) { return StringRef(one.text()).starts_with(whole); });
      if (isBeginning || formPage(whole))
        return whole;
    }
  return "";
}

std::string likelyName(StringRef written) {
  if (std::string opcode = likelyOpcode(written); !opcode.empty())
    return opcode;
  Nearest nearest(written, mostSlips(written) + 1);
  for (const StringRef name : allNames())
    nearest.offer(name);
  for (const RulePage &page : conceptPages())
    for (const StringRef name : namesOfConcept(page))
      nearest.offer(name);
  return nearest.best().str();
}

// ------------------------------------------------------------------------------------------ search

/// Normalises a text: lower case, `s` for `z` and `or` for `our`, as in `initialised behavior`.
static std::string spelt(StringRef text) {
  std::string plain = text.lower();
  for (size_t at = 0; (at = plain.find_first_of("zu", at)) != std::string::npos; ++at)
    if (plain[at] == 'z')
      plain[at] = 's';
    else if (at > 0 && plain[at - 1] == 'o' && plain.compare(at + 1, 1, "r") == 0)
      plain.erase(at--, 1);
  return plain;
}

/// Returns the search words, without common words and without endings.
static llvm::SmallVector<std::string> wordsOf(StringRef text) {
  static constexpr StringRef common[] = {"a",     "an",  "and", "can",  "do",  "does", "for", "from",
                                         "how",   "i",   "in",  "is",   "of",  "on",   "or",  "ptx",
                                         "ptxas", "the", "to",  "what", "why", "with", "use", "instruction"};
  llvm::SmallVector<std::string> words;
  const auto isPart = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  for (StringRef rest = text; !(rest = rest.drop_until(isPart)).empty();) {
    const StringRef word = rest.take_while(isPart);
    rest = rest.drop_front(word.size());
    std::string lower = spelt(word);
    if (llvm::is_contained(common, StringRef(lower)))
      continue;
    StringRef stem = lower;
    for (const StringRef ending : {"s", "ing", "ion", "ed", "e"})
      if (stem.size() > ending.size() + 3 && stem.consume_back(ending))
        break;
    words.push_back(stem.str());
  }
  return words;
}

/// Returns whether the text contains a word with this beginning.
static bool hasWord(StringRef text, StringRef word) {
  for (size_t at = text.find(word); at != StringRef::npos; at = text.find(word, at + 1))
    if (at == 0 || !llvm::isAlnum(text[at - 1]))
      return true;
  return false;
}

namespace {

/// Collects the pages that contain all words.
class PageSearch {
public:
  explicit PageSearch(StringRef text) : words(wordsOf(text)) {}

  void offer(StringRef name, StringRef about, StringRef text = "") {
    const std::string parts[] = {spelt(name), spelt(about), spelt(text)};
    unsigned score = 0;
    for (const std::string &word : words) {
      const unsigned one = hasWord(parts[0], word) ? 8 : hasWord(parts[1], word) ? 4 : hasWord(parts[2], word) ? 1 : 0;
      if (!one)
        return;
      score += one;
    }
    const bool isKnown = llvm::any_of(found, [&](const auto &one) { return one.second.name == name; });
    if (score && !isKnown) // a word may also be a directive
      found.push_back({score, {name.str(), about.str()}});
  }

  std::vector<FoundPage> best(size_t most) {
    llvm::stable_sort(found, [](const auto &one, const auto &other) { return one.first > other.first; });
    std::vector<FoundPage> pages;
    for (auto &[score, page] : llvm::ArrayRef(found).take_front(most))
      pages.push_back(page);
    return pages;
  }

private:
  const llvm::SmallVector<std::string> words;
  std::vector<std::pair<unsigned, FoundPage>> found;
};

} // namespace

static std::string titleOf(const isa::Mnemonic &mnemonic) {
  llvm::SmallVector<StringRef, 2> titles;
  for (const uint32_t form : isa::run(isa::tables().mnemonicForms, mnemonic.forms))
    if (const StringRef title = isa::titleOf(mnemonic, isa::tables().entries[isa::tables().forms[form].entry]);
        !llvm::is_contained(titles, title))
      titles.push_back(title);
  return llvm::join(titles, "; ");
}

std::vector<FoundPage> pagesAbout(StringRef text, size_t most) {
  const isa::Tables &tables = isa::tables();
  PageSearch search(text);
  for (const RulePage &page : conceptPages())
    search.offer(namesOfConcept(page).front(), firstSentence(page.text), page.text);
  for (const isa::Mnemonic &mnemonic : isa::mnemonics())
    search.offer(mnemonic.text(), titleOf(mnemonic));
  for (const isa::Directive &directive : tables.directives)
    search.offer(directive.name(), directive.title());
  for (const isa::Directive &pragma : tables.pragmas)
    search.offer(pragma.name(), pragma.title());
  for (const isa::SpecialRegister &reg : isa::specialRegisters())
    if (const auto meaning = isa::findMeaning(reg.name()))
      search.offer(reg.name(), meaning->text);
  for (const isa::Word &word : tables.words.drop_front())
    if (word.wordClass == isa::WordClass::Type || isa::findMeaning(word.text()))
      search.offer(word.text(), describeWord(word));
  for (const RulePage &page : rulePages())
    search.offer(page.id, firstSentence(page.text), page.text);
  return search.best(most);
}

} // namespace ptxray
