#include "Inline/CppTokens.h"
#include "Source/Narrow.h"
#include "llvm/ADT/StringExtras.h"

namespace ptxray {
namespace {

bool isWord(char c) { return llvm::isAlnum(c) || c == '_' || c == '$' || static_cast<unsigned char>(c) >= 0x80; }

class Reader {
public:
  Reader(llvm::StringRef text, uint32_t offset, std::vector<Range> *remarks)
      : text(text), offset(offset), remarks(remarks) {}
  std::vector<CppToken> read();

private:
  char at(size_t i) const { return i < text.size() ? text[i] : '\0'; }
  size_t endOfLine(size_t i) const; // end of a logical line, including splices
  size_t skipLineComment(size_t i);
  size_t skipBlockComment(size_t i);
  size_t endOfDirective(size_t i);
  size_t endOfQuoted(size_t i) const;
  size_t endOfRaw(size_t quote) const;
  size_t endOfNumber(size_t i) const;
  void note(size_t begin, size_t end);
  void add(CppKind kind, size_t begin, size_t end);

  llvm::StringRef text;
  uint32_t offset;
  std::vector<Range> *remarks;
  std::vector<CppToken> tokens;
  bool hasSpace = false, startsLine = true;
};

void Reader::add(CppKind kind, size_t begin, size_t end) {
  CppToken &token = tokens.emplace_back();
  token.kind = kind;
  token.hasSpace = hasSpace;
  token.text = text.slice(begin, end);
  token.place = {offset + narrow<uint32_t>(begin), offset + narrow<uint32_t>(end)};
  hasSpace = startsLine = false;
}

void Reader::note(size_t begin, size_t end) {
  if (remarks && text.slice(begin + 2, end).ltrim(" \t").starts_with("ptxray:"))
    remarks->push_back(
        {offset + narrow<uint32_t>(begin), offset + narrow<uint32_t>(text.slice(0, end).rtrim('\r').size())});
}

size_t Reader::endOfLine(size_t i) const {
  for (;;) {
    const size_t end = text.find('\n', i);
    if (end == llvm::StringRef::npos)
      return text.size();
    size_t last = end;
    if (last > i && text[last - 1] == '\r')
      --last;
    if (last == i || text[last - 1] != '\\')
      return end;
    i = end + 1;
  }
}

size_t Reader::skipLineComment(size_t i) {
  const size_t end = endOfLine(i);
  note(i, end);
  return end;
}

size_t Reader::skipBlockComment(size_t i) {
  const size_t end = text.find("*/", i + 2);
  const size_t behind = end == llvm::StringRef::npos ? text.size() : end + 2;
  note(i, behind);
  return behind;
}

/// Returns the end of a directive. Comments in it may extend over lines.
size_t Reader::endOfDirective(size_t i) {
  while (i < text.size()) {
    const char c = text[i];
    if (c == '\n')
      return i;
    if (c == '\\' && at(i + 1) == '\n')
      i += 2;
    else if (c == '\\' && at(i + 1) == '\r' && at(i + 2) == '\n')
      i += 3;
    else if (c == '/' && at(i + 1) == '/')
      return endOfLine(i);
    else if (c == '/' && at(i + 1) == '*')
      i = skipBlockComment(i);
    else if (c == '"' || (c == '\'' && !isWord(at(i - 1))))
      i = endOfQuoted(i);
    else
      ++i;
  }
  return i;
}

/// Returns the end of a literal; if it is not closed, the end of its line.
size_t Reader::endOfQuoted(size_t i) const {
  const char quote = text[i++];
  for (; i < text.size(); ++i) {
    if (text[i] == quote)
      return i + 1;
    if (text[i] == '\n')
      return i;
    if (text[i] == '\\')
      i += 1 + (at(i + 1) == '\r' && at(i + 2) == '\n');
  }
  return text.size();
}

size_t Reader::endOfRaw(size_t quote) const {
  constexpr size_t longestDelimiter = 16;
  const size_t open = text.find('(', quote);
  if (open == llvm::StringRef::npos || open - quote - 1 > longestDelimiter)
    return endOfQuoted(quote);
  const std::string closing = (")" + text.slice(quote + 1, open) + "\"").str();
  const size_t end = text.find(closing, open);
  return end == llvm::StringRef::npos ? text.size() : end + closing.size();
}

size_t Reader::endOfNumber(size_t i) const {
  for (; i < text.size(); ++i) {
    const char c = text[i];
    const bool isSign = (c == '+' || c == '-') && llvm::StringRef("eEpP").contains(at(i - 1));
    if (!isWord(c) && c != '.' && !isSign && !(c == '\'' && isWord(at(i + 1))))
      break;
  }
  return i;
}

std::vector<CppToken> Reader::read() {
  for (size_t i = 0; i < text.size();) {
    const char c = text[i], next = at(i + 1);
    if (c == '\n') {
      startsLine = hasSpace = true;
      ++i;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v' || (c == '\\' && next == '\n') ||
               (c == '\\' && next == '\r')) {
      hasSpace = true;
      i += 1 + (c == '\\');
    } else if (c == '/' && (next == '/' || next == '*')) {
      i = next == '/' ? skipLineComment(i) : skipBlockComment(i);
      hasSpace = true;
    } else if (c == '#' && startsLine) {
      const size_t end = endOfDirective(i);
      add(CppKind::Directive, i, end);
      startsLine = true;
      i = end;
    } else if (c == '"' || c == '\'') {
      const size_t end = endOfQuoted(i);
      add(c == '"' ? CppKind::String : CppKind::Character, i, end);
      i = end;
    } else if (llvm::isDigit(c) || (c == '.' && llvm::isDigit(next))) {
      const size_t end = endOfNumber(i);
      add(CppKind::Number, i, end);
      i = end;
    } else if (isWord(c)) {
      size_t end = i + 1;
      while (end < text.size() && isWord(text[end]))
        ++end;
      const llvm::StringRef word = text.slice(i, end);
      const bool isPrefix = word == "R" || word == "L" || word == "u8" || word == "u" || word == "U" || word == "u8R" ||
                            word == "LR" || word == "uR" || word == "UR";
      if (at(end) == '"' && isPrefix) {
        end = word.ends_with("R") ? endOfRaw(end) : endOfQuoted(end);
        add(CppKind::String, i, end);
      } else {
        add(CppKind::Name, i, end);
      }
      i = end;
    } else {
      const size_t length = text.substr(i).starts_with("##") ? 2 : text.substr(i).starts_with("...") ? 3 : 1;
      add(CppKind::Sign, i, i + length);
      i += length;
    }
  }
  return std::move(tokens);
}

} // namespace

std::vector<CppToken> readCppTokens(llvm::StringRef text, uint32_t offset, std::vector<Range> *remarks) {
  return Reader(text, offset, remarks).read();
}

llvm::StringRef includedName(llvm::ArrayRef<CppToken> words) {
  if (words.size() > 1 && words[1].kind == CppKind::String)
    return words[1].text.trim('"');
  if (words.size() < 4 || !words[1].is("<") || !words.back().is(">"))
    return "";
  return {words[1].text.data(), static_cast<size_t>(words.back().text.end() - words[1].text.data())};
}

} // namespace ptxray
