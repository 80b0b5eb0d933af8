#include "Pages/PtxasMessages.h"
#include "Embedded/Embedded.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <tuple>

namespace ptxray {

using llvm::StringRef;

namespace messages {
#include "PackedMessages.inc"
}

/// Reads the rows of the tables: "| ``message`` | `rule` | test |". Messages of code generation have no test.
static std::vector<PtxasMessage> allMessages() {
  std::vector<PtxasMessage> messages;
  static const std::string page = unpackEmbedded(messages::packed, messages::unpackedBytes);
  StringRef rest = page;
  for (StringRef line; !rest.empty();) {
    std::tie(line, rest) = rest.split('\n');
    if (!line.consume_front("| ``"))
      continue;
    const auto [text, columns] = line.split("`` | ");
    const StringRef rule = columns.split(" |").first.trim('`');
    messages.push_back({text, rule == "-" ? StringRef() : rule});
  }
  return messages;
}

/// Removes the location that ptxas prints before a message: `ptxas k.ptx, line 4; error   : `.
static StringRef withoutPlace(StringRef printed) {
  for (const StringRef severity : {"error", "fatal", "warning", "info"})
    if (const size_t at = printed.find(severity); at != StringRef::npos)
      if (StringRef rest = printed.drop_front(at + severity.size()).ltrim(); rest.consume_front(":"))
        return rest.trim();
  return printed.trim();
}

/// Returns the literal parts of a message, between `%s` and similar placeholders.
static llvm::SmallVector<StringRef, 4> literalsOf(StringRef text) {
  llvm::SmallVector<StringRef, 4> parts;
  size_t begin = 0;
  for (size_t at = text.find('%'); at != StringRef::npos; at = text.find('%', at)) {
    size_t end = at + 1;
    while (end < text.size() && llvm::isDigit(text[end]))
      ++end;
    if (end < text.size() && StringRef("sducxl").contains(text[end])) {
      parts.push_back(text.slice(begin, at));
      begin = end + 1;
    }
    at = end;
  }
  parts.push_back(text.drop_front(begin));
  return parts;
}

/// Returns the number of literal letters in the message if it matches the text, otherwise 0.
static size_t lettersIn(StringRef message, StringRef printed) {
  const auto literals = literalsOf(message);
  size_t at = 0, letters = 0;
  for (const StringRef literal : literals) {
    const size_t found = printed.find_insensitive(literal, at);
    if (found == StringRef::npos || (&literal == literals.begin() && found != 0))
      return 0;
    at = found + literal.size();
    letters += literal.size();
  }
  const bool isWhole = literals.back().empty() || printed.ends_with_insensitive(literals.back());
  return isWhole ? letters : 0;
}

/// Returns the words of a text, without numbers and quoted names.
static llvm::SmallVector<StringRef, 8> plainWords(StringRef text) {
  llvm::SmallVector<StringRef, 8> words;
  for (StringRef word, rest = text; !rest.empty();) {
    std::tie(word, rest) = rest.split(' ');
    word = word.trim(".,;:()");
    if (!word.empty() && llvm::all_of(word, [](char c) { return llvm::isAlpha(c) || c == '-' || c == '.'; }))
      words.push_back(word);
  }
  return words;
}

/// Returns whether the message contains the words in this order, and consists mostly of them. There must be several
/// words.
static bool consistsOf(StringRef message, llvm::ArrayRef<StringRef> words) {
  size_t at = 0, letters = 0, all = 0;
  for (const StringRef literal : literalsOf(message))
    all += literal.size();
  for (const StringRef word : words) {
    at = message.find_insensitive(word, at);
    if (at == StringRef::npos)
      return false;
    at += word.size();
    letters += word.size() + 1;
  }
  constexpr size_t percent = 40;
  return words.size() > 1 && letters * 100 >= all * percent;
}

std::vector<PtxasMessage> ptxasMessagesLike(StringRef printed) {
  constexpr size_t leastLetters = 8; // shorter messages, such as `%s %s`, match almost anything
  const StringRef wanted = withoutPlace(printed);
  const auto words = plainWords(wanted);
  std::vector<PtxasMessage> whole, parts;
  size_t most = leastLetters;
  for (const PtxasMessage &message : allMessages()) {
    const size_t letters = lettersIn(message.text, wanted);
    if (letters > most)
      whole.clear();
    if (letters >= most) {
      most = letters;
      whole.push_back(message);
    }
    if (consistsOf(message.text, words) || (words.size() > 1 && message.text.starts_with_insensitive(wanted)))
      parts.push_back(message);
  }
  return whole.empty() ? parts : whole;
}

} // namespace ptxray
