#include "Editor/Typing.h"
#include "Editor/Statements.h"
#include "llvm/ADT/StringExtras.h"

namespace ptxray {
namespace {

class Reader {
public:
  Reader(llvm::StringRef text, uint32_t from, uint32_t offset) : text(text), at(from), offset(offset) {
    typing.begin = from;
  }
  Typing run();

private:
  void beginStatement(uint32_t place);
  /// Returns the offset after the comment or string at `at`, or `at` if there is none.
  uint32_t behindHidden() const;
  void punctuation(char c);
  void readWord();
  void finish();
  bool isFresh() const { return words == 0 && !guarded; }

  llvm::StringRef text;
  uint32_t at, offset;
  Typing typing;
  unsigned words = 0; // number of words in the statement, without its guard
  bool guarded = false, guardRead = false, newLine = false;
  char last = 0; // last non-blank character
  llvm::SmallVector<unsigned, 4> elements;
};

void Reader::beginStatement(uint32_t place) {
  typing = Typing();
  typing.begin = place;
  elements.clear();
  words = 0;
  guarded = guardRead = newLine = false;
  last = 0;
}

uint32_t Reader::behindHidden() const {
  const llvm::StringRef rest = text.drop_front(at);
  auto behind = [&](llvm::StringRef closing, size_t skipped) {
    const size_t found = text.find(closing, at + skipped);
    return static_cast<uint32_t>(found == llvm::StringRef::npos ? text.size() + 1 : found + closing.size());
  };
  if (rest.starts_with("//"))
    return behind("\n", 2);
  if (rest.starts_with("/*"))
    return behind("*/", 2);
  return rest.starts_with("\"") ? behind("\"", 1) : at;
}

void Reader::punctuation(char c) {
  const bool atTop = typing.open.empty();
  switch (c) {
  case ';': return beginStatement(at + 1);
  case '@': guarded |= isFresh(); break;
  case '{':
    if (isFresh())
      return beginStatement(at + 1);
    [[fallthrough]];
  case '(':
  case '[':
    typing.open.push_back(c);
    elements.push_back(0);
    break;
  case '}':
    if (atTop)
      return beginStatement(at + 1);
    [[fallthrough]];
  case ')':
  case ']':
    if (!atTop) {
      typing.open.pop_back();
      elements.pop_back();
    }
    break;
  case ',':
    if (atTop)
      ++typing.operand;
    else
      ++elements.back();
    break;
  case ':':
    if (words == 1 && atTop)
      return beginStatement(at + 1);
    break;
  default: break;
  }
  last = c;
}

void Reader::readWord() {
  const Range word = wordAt(text, at);
  // A new line begins a statement unless a list continues, because the semicolon may not be typed yet.
  if (newLine && words && typing.open.empty() && last != ',')
    beginStatement(at);
  newLine = false;
  if (guarded && !guardRead) {
    guardRead = word.end < offset;
  } else if (words++ == 0) {
    typing.first = word;
  }
  last = 'a';
  at = std::max(word.end, at + 1);
}

void Reader::finish() {
  typing.word = wordAt(text, offset);
  if (typing.word.begin < typing.begin)
    typing.word.begin = typing.begin;
  typing.element = elements.empty() ? 0 : elements.back();
  const bool onNewLine = newLine && words && typing.open.empty() && last != ',';
  if (onNewLine && typing.word.begin == offset) { // an empty line after a statement without a semicolon
    const uint32_t begin = offset;
    beginStatement(begin);
    typing.word = {begin, begin};
  }
  const bool inFirst = words == 0 || (typing.first.begin <= offset && offset <= typing.first.end);
  if (guarded && !guardRead)
    typing.where = Typing::Guard;
  else if (inFirst)
    typing.where = Typing::First;
  else
    typing.where = text[typing.first.begin] == '.' ? Typing::Argument : Typing::Operand;
}

Typing Reader::run() {
  while (at < offset) {
    const char c = text[at];
    if (const uint32_t behind = behindHidden(); behind != at) {
      if (behind > offset) {
        typing.where = Typing::Hidden;
        return typing;
      }
      newLine |= text.slice(at, behind).ends_with("\n");
      at = behind;
      continue;
    }
    if (c == '\n')
      newLine = true;
    if (llvm::isAlnum(c) || c == '_' || c == '$' || c == '%' || c == '.') {
      readWord();
      continue;
    }
    if (!llvm::isSpace(c))
      punctuation(c);
    ++at;
  }
  finish();
  return typing;
}

} // namespace

Typing typingAt(llvm::StringRef text, uint32_t from, uint32_t offset) { return Reader(text, from, offset).run(); }

} // namespace ptxray
