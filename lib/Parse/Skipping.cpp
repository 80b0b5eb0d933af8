// Skips text that cannot be repaired, up to the next statement or item.
#include "Parse/RecoveringParser.h"

namespace ptxray::recover {

bool PtxBase::startsStatement(const Token &token) {
  constexpr KindSet starts = kinds(TokenKind::At, TokenKind::Loc, TokenKind::LocIntermediate, TokenKind::Pragma,
                                   TokenKind::Call, TokenKind::LeftBrace, TokenKind::RightBrace, TokenKind::EndOfBody) |
                             bit(TokenKind::Dotted);
  if (starts & bit(token.kind))
    return true;
  if (token.kind == TokenKind::Opcode)
    return text[token.begin] != '%';
  if (token.kind == TokenKind::Space)
    return isWord(token, ".reg");
  if (token.kind != TokenKind::Id)
    return false;
  TokenKind next = peek().kind;
  return next == TokenKind::Colon || next == TokenKind::Semicolon;
}

/// Returns whether the token, or the function declaration that begins there, is still in the body: the closing brace
/// precedes any item of the module.
bool PtxBase::bodyGoesOn(const Token &token) {
  constexpr KindSet items = kinds(TokenKind::EndOfFile, TokenKind::Linkage, TokenKind::Entry, TokenKind::Func,
                                  TokenKind::Section, TokenKind::Version);
  Scanner copy = *scanner;
  Token next = token;
  if (token.kind == TokenKind::Linkage) {
    copy.next(next);
    if (next.kind != TokenKind::Func)
      return false;
    while (!(kinds(TokenKind::EndOfFile, TokenKind::Semicolon, TokenKind::LeftBrace) & bit(next.kind)))
      copy.next(next);
    if (next.kind != TokenKind::Semicolon)
      return false;
  }
  for (int depth = 0; depth >= 0;) {
    copy.next(next);
    if (items & bit(next.kind))
      return false;
    depth += next.kind == TokenKind::LeftBrace;
    depth -= next.kind == TokenKind::RightBrace || next.kind == TokenKind::EndOfBody;
  }
  return true;
}

bool PtxBase::startsItem(const Token &token) {
  constexpr KindSet starts =
      kinds(TokenKind::Linkage, TokenKind::Entry, TokenKind::Section, TokenKind::File, TokenKind::Version,
            TokenKind::MetadataSection, TokenKind::SourceSection, TokenKind::AddressSize);
  if (kinds(TokenKind::Version, TokenKind::Linkage) & bit(token.kind) && builder->isInBody())
    return !bodyGoesOn(token);
  if (starts & bit(token.kind))
    return true;
  if (token.kind != TokenKind::Func)
    return false;
  // A body may contain declarations of functions, but no definitions.
  Scanner copy = *scanner;
  Token next;
  do
    copy.next(next);
  while (!(kinds(TokenKind::EndOfFile, TokenKind::LeftBrace, TokenKind::Semicolon) & bit(next.kind)));
  return next.kind == TokenKind::LeftBrace;
}

/// Returns whether the semicolon is within braces that are closed on the same line: `{%r1, ; %r2}`.
bool PtxBase::isClosedBehind(const Token &semicolon) const {
  const llvm::StringRef before = text.slice(statementFirst.begin, semicolon.begin);
  if (before.count('{') <= before.count('}'))
    return false;
  const size_t next = text.find_first_of("{}\n", semicolon.end);
  return next != llvm::StringRef::npos && text[next] == '}';
}

void PtxBase::skipStatement() {
  dropStatement();
  builder->passedOver(statementFirst);
}

/// Returns whether the brace directly follows a guard, which is an error: `@%p1 {`.
bool PtxBase::isAfterGuard(const Token &brace) const {
  const llvm::StringRef before = text.slice(statementFirst.begin, brace.begin).rtrim();
  return statementFirst.kind == TokenKind::At && brace.kind == TokenKind::LeftBrace && !before.contains(' ');
}

void PtxBase::dropStatement() {
  if (isAfterGuard(builder->ahead)) // the block is parsed without the guard
    return;
  for (;;) {
    const Token &ahead = builder->ahead;
    if (ahead.kind == TokenKind::EndOfFile)
      return;
    if (ahead.begin < foreignEnd) {
      builder->last = ahead;
      drop();
      continue;
    }
    if (foreignEnd > statementFirst.begin) // the line was skipped
      return;
    if (ahead.begin != statementFirst.begin && startsLine(ahead) && (startsStatement(ahead) || startsItem(ahead)))
      return;
    const bool ends = ahead.kind == TokenKind::Semicolon && !isClosedBehind(ahead);
    builder->last = ahead;
    do
      drop();
    while (ends && builder->ahead.kind == TokenKind::Semicolon);
    if (ends)
      return;
  }
}

void PtxBase::skipItem() {
  dropItem();
  builder->passedOver(statementFirst);
}

void PtxBase::dropItem() {
  for (uint32_t depth = 0;;) {
    const Token &ahead = builder->ahead;
    if (ahead.kind == TokenKind::EndOfFile)
      return;
    if (ahead.begin != statementFirst.begin && startsLine(ahead) &&
        (startsItem(ahead) || ahead.kind == TokenKind::Target || (depth == 0 && ahead.kind == TokenKind::Func)))
      return;
    depth += ahead.kind == TokenKind::LeftBrace;
    bool closes = ahead.kind == TokenKind::RightBrace;
    bool ends = closes ? depth <= 1 : depth == 0 && ahead.kind == TokenKind::Semicolon;
    depth -= closes && depth;
    builder->last = ahead;
    drop();
    constexpr KindSet initialiserGoesOn = kinds(TokenKind::Semicolon, TokenKind::Comma, TokenKind::RightBrace);
    if (closes && ends && initialiserGoesOn & bit(ahead.kind))
      continue;
    if (ends)
      return;
  }
}

// Corrects the scanner's count of braces after an error, using the known number of open blocks.
void PtxBase::settleBraces() {
  Token &ahead = builder->ahead;
  const uint32_t blocks = builder->openBlocks();
  if (ahead.kind == TokenKind::RightBrace || ahead.kind == TokenKind::EndOfBody) {
    ahead.kind = blocks ? TokenKind::RightBrace : TokenKind::EndOfBody;
    scanner->braces = blocks;
  } else {
    scanner->braces = blocks + 1 + (ahead.kind == TokenKind::LeftBrace);
  }
}

} // namespace ptxray::recover
