#include "Pages/Related.h"
#include "Match/Opcode.h"
#include "RulePages/RulePages.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace ptxray {

using llvm::StringRef;

/// Returns the first block of PTX on a page, which shows what the rule reports.
static StringRef exampleOn(StringRef page) {
  const size_t begin = page.find("```ptx\n");
  const StringRef rest = page.drop_front(std::min(begin, page.size())).drop_front(begin == StringRef::npos ? 0 : 7);
  return rest.take_front(rest.find("```"));
}

/// Returns the number of lines in the block if one of them is the instruction, otherwise 0.
static size_t linesWith(StringRef mnemonic, StringRef block) {
  size_t lines = 0;
  bool hasIt = false;
  for (StringRef line; !block.empty(); ++lines) {
    std::tie(line, block) = block.split('\n');
    line = line.ltrim();
    if (line.starts_with("@"))
      line = line.drop_until([](char c) { return c == ' '; }).ltrim();
    const StringRef spelling = line.take_until([](char c) { return c == ' ' || c == ';'; });
    if (!hasIt && spelling.starts_with(mnemonic)) {
      const Opcode opcode(spelling);
      hasIt = opcode.mnemonic && StringRef(opcode.mnemonic->text()) == mnemonic;
    }
  }
  return hasIt ? lines : 0;
}

std::string firstSentence(StringRef page) {
  StringRef text = page.split('\n').second.ltrim();
  if (text.starts_with("Also: "))
    text = text.split("\n\n").second.ltrim();
  text = text.take_front(text.find("\n\n"));
  size_t end = std::min(text.find(". "), text.find(".\n"));
  std::string sentence = text.take_front(std::min(end, text.rtrim(".:\n").size())).str();
  std::ranges::replace(sentence, '\n', ' ');
  return sentence;
}

PageSection relatedRules(StringRef mnemonic) {
  constexpr size_t most = 6;
  std::vector<std::pair<size_t, const RulePage *>> found;
  for (const RulePage &page : rulePages())
    if (const size_t lines = linesWith(mnemonic, exampleOn(page.text)))
      found.emplace_back(lines, &page);
  llvm::stable_sort(found, [](const auto &one, const auto &other) { return one.first < other.first; });
  PageSection section{PageSection::Kind::List, "Rules with an example of it", {}};
  for (const auto &[lines, page] : llvm::ArrayRef(found).take_front(std::min(most, found.size())))
    section.rows.push_back({{page->id.str()}, firstSentence(page->text), ""});
  return section;
}

/// Counts how often the text contains the name in backticks, alone or followed by further words.
static unsigned mentionsOf(StringRef name, StringRef text) {
  unsigned count = 0;
  for (size_t at = text.find("`" + name.str()); at != StringRef::npos; at = text.find("`" + name.str(), at + 1)) {
    const char after = text.drop_front(at + 1 + name.size()).take_front(1).str()[0];
    count += after == '`' || after == '.' || after == ' ';
  }
  return count;
}

/// Returns how closely the concept is related to the word: closely if the word is one of its names, less if the page
/// mentions it. Mentions of types do not count, because they are everywhere.
static unsigned nearness(const RulePage &page, StringRef word) {
  if (findConcept(word) == &page || findConcept(word.drop_front()) == &page)
    return 4;
  return isa::word(isa::findWord(word)).wordClass != isa::WordClass::Type && mentionsOf(word, page.text);
}

PageSection relatedConcepts(StringRef mnemonic, llvm::ArrayRef<StringRef> words) {
  constexpr size_t most = 6;
  constexpr unsigned least = 4; // score of one mention of the instruction
  std::vector<std::pair<unsigned, const RulePage *>> found;
  for (const RulePage &page : conceptPages()) {
    unsigned near = least * mentionsOf(mnemonic, page.text);
    for (const StringRef word : words)
      near += nearness(page, word);
    if (near >= least)
      found.emplace_back(near, &page);
  }
  llvm::stable_sort(found, [](const auto &one, const auto &other) { return one.first > other.first; });
  PageSection section{PageSection::Kind::List, "Concepts", {}};
  for (const auto &[near, page] : llvm::ArrayRef(found).take_front(std::min(most, found.size())))
    section.rows.push_back({{page->id.str()}, firstSentence(page->text), ""});
  return section;
}

} // namespace ptxray
