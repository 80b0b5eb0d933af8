#include "Format/Words.h"
#include "Source/Foreign.h"
#include <algorithm>

namespace ptxray {

static constexpr llvm::StringLiteral blanks = " \t\r\n\f\v";

uint32_t beginOfWords(llvm::StringRef text) { return text.starts_with(byteOrderMark) ? byteOrderMark.size() : 0; }

WordReader::WordReader(llvm::StringRef text, bool isFaulty) : text(text), isFaulty(isFaulty), at(beginOfWords(text)) {
  scanner.start(text);
  scanner.moveTo(at);
}

const Word &WordReader::peekBeyondAsides() {
  for (size_t index = 1;; ++index) {
    if (first + index == ahead.size())
      read();
    if (const Word &word = ahead[first + index]; word.aside == Aside::None)
      return word;
  }
}

Word WordReader::take() {
  const Word word = peek();
  ++first;
  return word;
}

void WordReader::read() {
  if (first == ahead.size()) {
    ahead.clear();
    first = 0;
  }
  Token token;
  readToken(token);
  const uint32_t newlines = at == token.begin ? 0 : readAsides(at, token.begin);
  ahead.push_back({token.kind, Aside::None, token.begin, token.end, newlines});
  at = token.end;
}

void WordReader::readToken(Token &token) {
  scanner.next(token);
  if (!isFaulty && token.kind != TokenKind::Dwarf && token.kind != TokenKind::Bad) [[likely]]
    return;
  const llvm::StringRef spelled = text.slice(token.begin, token.end);
  if (token.kind == TokenKind::Dwarf) // extends to the newline
    token.end = token.begin + spelled.rtrim(blanks).size();
  if (token.kind == TokenKind::Bad && (token.bad == BadToken::UnclosedComment || token.bad == BadToken::UnclosedSource))
    token.end = text.rtrim('\0').size();
  if (!isFaulty)
    return;
  const bool isLostQuote = token.kind == TokenKind::String && spelled.contains('\n');
  const bool isHash = token.kind == TokenKind::Bad && spelled == "#" && startsLine(text, token.begin);
  if (!isLostQuote && !isHash)
    return;
  token.kind = TokenKind::Bad;
  const uint32_t line = std::min(text.find('\n', token.begin), text.rtrim('\0').size());
  token.end = token.begin + text.slice(token.begin, line).rtrim(blanks).size();
  scanner.moveTo(line);
}

/// Reads the comments and markers between two tokens. Returns the number of newlines after the last one.
uint32_t WordReader::readAsides(uint32_t from, uint32_t to) {
  uint32_t newlines = 0;
  for (uint32_t p = from; p < to; ++p) {
    if (text[p] == '\n')
      ++newlines;
    if (text[p] != '/' && text[p] != '#')
      continue;
    const bool isBlock = text.substr(p).starts_with("/*");
    uint32_t end = isBlock ? text.find("*/", p + 2) + 2 : std::min<size_t>(text.find('\n', p), to);
    end = p + text.slice(p, end).rtrim(blanks).size();
    const Aside aside = isBlock ? Aside::BlockComment : text[p] == '#' ? Aside::LineMarker : Aside::LineComment;
    ahead.push_back({TokenKind::EndOfFile, aside, p, end, newlines});
    newlines = 0;
    p = end - 1;
  }
  return newlines;
}

} // namespace ptxray
