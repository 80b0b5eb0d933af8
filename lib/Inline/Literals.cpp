#include "Inline/Literals.h"
#include "Source/Narrow.h"
#include "llvm/ADT/StringExtras.h"

namespace ptxray {

/// Returns the length of an escape sequence, and its meaning, which is empty for a line splice.
static size_t readEscape(llvm::StringRef text, std::string &meaning) {
  const char c = text.size() > 1 ? text[1] : '\0';
  auto number = [&](size_t begin, size_t longest, unsigned base) {
    size_t end = begin;
    unsigned value = 0;
    for (; end < text.size() && end - begin < longest; ++end) {
      const unsigned digit = llvm::hexDigitValue(text[end]);
      if (digit >= base)
        break;
      value = value * base + digit;
    }
    meaning = static_cast<char>(value);
    return end;
  };
  switch (c) {
  case '\n': return 2;
  case '\r': return 2 + text.substr(2).starts_with("\n");
  case 'n': meaning = "\n"; return 2;
  case 't': meaning = "\t"; return 2;
  case 'r': meaning = "\r"; return 2;
  case 'v': meaning = "\v"; return 2;
  case 'f': meaning = "\f"; return 2;
  case 'a': meaning = "\a"; return 2;
  case 'b': meaning = "\b"; return 2;
  case 'x': return number(2, 2, 16);
  case '0':
  case '1':
  case '2':
  case '3':
  case '4':
  case '5':
  case '6':
  case '7': return number(1, 3, 8);
  case '\0': return 1;
  default: meaning = c; return 2;
  }
}

void appendEscaped(llvm::StringRef content, uint32_t from, MappedText &out) {
  while (!content.empty()) {
    const size_t plain = std::min(content.find('\\'), content.size());
    out.copy(content.take_front(plain), from);
    content = content.drop_front(plain);
    from += narrow<uint32_t>(plain);
    if (content.empty())
      return;
    std::string meaning;
    const auto length = narrow<uint32_t>(readEscape(content, meaning));
    out.replace(meaning, {from, from + length});
    content = content.drop_front(length);
    from += length;
  }
}

void appendLiteral(const CppToken &literal, MappedText &out) {
  if (literal.kind == CppKind::Plain) {
    if (literal.isExact)
      out.copy(literal.text, literal.place.begin);
    else
      out.replace(literal.text, literal.place);
    return;
  }
  const size_t quote = literal.text.find('"');
  llvm::StringRef content = literal.text.drop_front(quote + 1);
  content.consume_back("\"");
  const bool isRaw = literal.text.take_front(quote).ends_with("R");
  if (isRaw) {
    const llvm::StringRef delimiter = content.split('(').first;
    content = content.drop_front(std::min(delimiter.size() + 1, content.size()));
    content.consume_back(delimiter);
    content.consume_back(")");
  }
  const uint32_t from = literal.place.begin + narrow<uint32_t>(content.data() - literal.text.data());
  if (literal.isExact && isRaw)
    return out.copy(content, from);
  if (literal.isExact)
    return appendEscaped(content, from, out);
  MappedText elsewhere;
  if (isRaw)
    elsewhere.copy(content, 0);
  else
    appendEscaped(content, 0, elsewhere);
  out.replace(elsewhere.text(), literal.place);
}

} // namespace ptxray
