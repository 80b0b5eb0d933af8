// Selects numbers that appear within words of a template: `cta_group::%2`, `m16n8k%14`.
#include "Inline/Fragment.h"
#include "Isa/Isa.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace ptxray {

using Numbers = Fragment::Numbers;

/// Returns the length of an operand's name, such as `%14`, at the beginning of the text; 0 if there is none.
static size_t lengthOfName(llvm::StringRef text, llvm::ArrayRef<std::string> operands) {
  if (!text.starts_with("%") && !text.starts_with("$"))
    return 0;
  const size_t length = 1 + text.drop_front().take_while(llvm::isDigit).size();
  return llvm::is_contained(operands, text.take_front(length)) ? length : 0;
}

/// Returns the parts of the text, separated by blanks, dots and other punctuation, that combine an operand with other
/// characters. Includes the preceding dot: `.k%2`.
static std::vector<llvm::StringRef> splicedWords(llvm::StringRef text, llvm::ArrayRef<std::string> operands) {
  auto isPart = [](char c) { return llvm::isAlnum(c) || llvm::StringRef("_:$%").contains(c); };
  std::vector<llvm::StringRef> words;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = begin + 1; // the first character may be a dot
    if (text[begin] == '.' || isPart(text[begin]))
      while (end < text.size() && isPart(text[end]))
        ++end;
    const llvm::StringRef word = text.slice(begin, end);
    begin = end;
    for (size_t i = 0; i < word.size(); ++i)
      if (const size_t length = lengthOfName(word.substr(i), operands); length && length < word.size()) {
        words.push_back(word);
        break;
      }
  }
  return words;
}

/// Returns the numbers that turn a spliced word into a given word and are consistent with those already selected.
static std::optional<Numbers> numbersFor(llvm::StringRef spliced, llvm::StringRef word, const Numbers &chosen,
                                         llvm::ArrayRef<std::string> operands) {
  llvm::SmallVector<std::pair<llvm::StringRef, llvm::StringRef>, 4> added;
  while (!spliced.empty()) {
    const size_t length = lengthOfName(spliced, operands);
    if (length == 0) {
      if (word.empty() || spliced.front() != word.front())
        return std::nullopt;
      spliced = spliced.drop_front();
      word = word.drop_front();
      continue;
    }
    const llvm::StringRef name = spliced.take_front(length), digits = word.take_while(llvm::isDigit);
    const auto known = chosen.find(name.str());
    const auto *const before = llvm::find_if(added, [&](const auto &one) { return one.first == name; });
    if (digits.empty() || (known != chosen.end() && known->second != digits) ||
        (before != added.end() && before->second != digits))
      return std::nullopt;
    if (known == chosen.end())
      added.emplace_back(name, digits);
    spliced = spliced.drop_front(length);
    word = word.drop_front(digits.size());
  }
  if (!word.empty())
    return std::nullopt;
  Numbers numbers = chosen;
  for (const auto &[name, digits] : added)
    numbers[name.str()] = digits.str();
  return numbers;
}

/// Returns all words of instructions: qualifiers, and prefixes of mnemonics.
static const std::vector<std::string> &allWords() {
  static const std::vector<std::string> words = [] {
    std::vector<std::string> all;
    for (const isa::Mnemonic &mnemonic : isa::mnemonics()) {
      llvm::SmallVector<llvm::StringRef> parts;
      llvm::StringRef(mnemonic.text()).split(parts, '.');
      for (const auto &[index, part] : llvm::enumerate(parts))
        all.push_back((index ? "." : "") + part.str());
    }
    for (const isa::Word &word : isa::tables().words)
      all.emplace_back(word.text());
    llvm::erase_if(all, [](llvm::StringRef word) { return word.find_first_of("0123456789") == llvm::StringRef::npos; });
    llvm::sort(all);
    all.erase(llvm::unique(all), all.end());
    return all;
  }();
  return words;
}

std::vector<Numbers> Fragment::choices() const {
  constexpr size_t most = 64;
  std::vector<Numbers> ways;
  const std::vector<llvm::StringRef> words = splicedWords(body(), unknown);
  if (words.empty())
    return ways;
  ways.emplace_back();
  for (llvm::StringRef spliced : words) {
    std::vector<Numbers> longer;
    for (const Numbers &way : ways)
      for (llvm::StringRef word : allWords())
        if (longer.size() == most)
          break;
        else if (auto numbers = numbersFor(spliced, word, way, unknown))
          longer.push_back(std::move(*numbers));
    if (!longer.empty()) // otherwise it is the name of a label or a register
      ways = std::move(longer);
  }
  for (Numbers &way : ways)
    for (const llvm::StringRef spliced : words)
      for (size_t i = 0; i < spliced.size(); ++i)
        if (const size_t length = lengthOfName(spliced.substr(i), unknown))
          way.try_emplace(spliced.substr(i, length).str(), "1");
  return ways;
}

} // namespace ptxray
