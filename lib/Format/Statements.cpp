#include "Format/Statements.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

namespace {

class StatementReader {
public:
  explicit StatementReader(llvm::StringRef text) : words(text, /*isFaulty=*/false) {
    list.words.reserve(text.size() / 4); // the average word is longer, including the following blank
    list.entries.reserve(text.size() / 24);
  }
  StatementList readAll();

private:
  void next();
  bool endsHere() { return words.peekToken().kind == TokenKind::EndOfFile; }
  void take();
  void takeBrace();
  void takeUntilSemicolon(bool bracesBelong);
  void readStatement();
  void readItem();
  void readHead();
  void readDirective();
  void readAsWritten();
  void readData();
  void readLabelled();

  WordReader words;
  StatementList list;
  StatementList::Entry statement;
  uint32_t open = 0; // braces of blocks
  bool isInSection = false;
};

} // namespace

StatementList readStatements(llvm::StringRef text) { return StatementReader(text).readAll(); }

StatementList StatementReader::readAll() {
  do {
    next();
    statement.end = static_cast<uint32_t>(list.words.size());
    list.entries.push_back(statement);
  } while (statement.shape != StatementShape::EndOfText);
  return std::move(list);
}

static bool startsModuleItem(TokenKind kind) {
  return oneOf(kind, {TokenKind::Linkage, TokenKind::Entry, TokenKind::Func, TokenKind::Version, TokenKind::Target,
                      TokenKind::AddressSize, TokenKind::File, TokenKind::Section, TokenKind::MetadataSection,
                      TokenKind::SourceSection, TokenKind::Dwarf, TokenKind::Alias, TokenKind::Space});
}

/// Returns whether the arguments of a directive continue after `last`.
static bool goesOn(TokenKind last, TokenKind next) {
  constexpr auto joins = [](TokenKind kind) {
    return oneOf(kind, {TokenKind::Comma, TokenKind::Plus, TokenKind::Minus});
  };
  return joins(last) || joins(next) || (last == TokenKind::Target && next == TokenKind::Id) ||
         oneOf(next, {TokenKind::Integer, TokenKind::Float, TokenKind::String, TokenKind::WarpSize});
}

void StatementReader::next() {
  statement = {.firstAside = static_cast<uint32_t>(list.words.size())};
  while (words.peek().aside != Aside::None)
    list.words.push_back(words.take());
  statement.firstWord = static_cast<uint32_t>(list.words.size());
  statement.depth = isInSection ? 0 : open;
  const TokenKind kind = words.peek().kind;
  if (kind == TokenKind::EndOfFile) {
    statement.shape = StatementShape::EndOfText;
    list.words.push_back(words.take());
    assert(!open && "the parser has found the brace that closes each");
  } else if (oneOf(kind, {TokenKind::LeftBrace, TokenKind::RightBrace})) {
    takeBrace();
  } else if (isInSection) {
    readData();
  } else {
    readStatement();
  }
}

void StatementReader::takeBrace() {
  const Word brace = words.take();
  list.words.push_back(brace);
  if (brace.kind == TokenKind::LeftBrace) {
    statement.shape = StatementShape::Open;
    ++open;
    return;
  }
  statement.shape = StatementShape::Close;
  assert(open && "the parser has found the brace that this one closes");
  --open;
  if (!open && !std::exchange(isInSection, false))
    statement.shape = StatementShape::CloseBody;
  statement.depth = isInSection ? 0 : open;
}

/// Consumes the next token and the comments before it.
void StatementReader::take() {
  do
    list.words.push_back(words.take());
  while (list.words.back().aside != Aside::None);
}

void StatementReader::takeUntilSemicolon(bool bracesBelong) {
  for (uint32_t braces = 0; !endsHere();) {
    const TokenKind kind = words.peekToken().kind;
    const bool opens = kind == TokenKind::LeftBrace, closes = kind == TokenKind::RightBrace;
    if ((opens && !bracesBelong) || (closes && braces == 0))
      return;
    bracesBelong |= kind == TokenKind::Equal;
    braces += opens - closes;
    take();
    if (kind == TokenKind::Semicolon)
      return;
  }
}

void StatementReader::readStatement() {
  const bool isInBody = open;
  switch (words.peek().kind) {
  case TokenKind::Version:
  case TokenKind::Target:
  case TokenKind::AddressSize:
  case TokenKind::File:
  case TokenKind::Loc:
  case TokenKind::LocIntermediate: return readDirective();
  case TokenKind::Dwarf: return take();
  case TokenKind::Section:
    takeUntilSemicolon(/*bracesBelong=*/false);
    isInSection = !isInBody && words.peekToken().kind == TokenKind::LeftBrace;
    return;
  case TokenKind::MetadataSection:
  case TokenKind::SourceSection: return readAsWritten();
  case TokenKind::Linkage:
  case TokenKind::Space:
  case TokenKind::Align:
  case TokenKind::Attribute:
  case TokenKind::Entry:
  case TokenKind::Func: return readItem();
  case TokenKind::Id:
  case TokenKind::Call:
    take();
    if (words.peekToken().kind == TokenKind::Colon && isInBody)
      return readLabelled();
    [[fallthrough]];
  default: return takeUntilSemicolon(isInBody);
  }
}

/// Reads a variable or a function.
void StatementReader::readItem() {
  while (!endsHere() && oneOf(words.peekToken().kind, {TokenKind::Linkage, TokenKind::Align, TokenKind::Integer}))
    take();
  if (!endsHere() && oneOf(words.peekToken().kind, {TokenKind::Entry, TokenKind::Func}))
    return readHead();
  takeUntilSemicolon(/*bracesBelong=*/false);
}

void StatementReader::readHead() {
  statement.shape = StatementShape::Head;
  take();
  uint32_t parens = 0;
  for (bool isInPragma = false; !endsHere();) {
    const TokenKind kind = words.peekToken().kind;
    if (oneOf(kind, {TokenKind::LeftBrace, TokenKind::RightBrace, TokenKind::Opcode, TokenKind::At, TokenKind::Loc}) ||
        (parens == 0 && startsModuleItem(kind)))
      return;
    parens += kind == TokenKind::LeftParen;
    parens -= kind == TokenKind::RightParen && parens;
    isInPragma |= kind == TokenKind::Pragma;
    take();
    if (kind == TokenKind::Semicolon && !std::exchange(isInPragma, false))
      return;
  }
}

/// Reads a directive without a semicolon.
void StatementReader::readDirective() {
  TokenKind before = TokenKind::EndOfFile, last = words.peek().kind;
  const bool isLocation = last == TokenKind::Loc;
  for (take(); !endsHere();) {
    const TokenKind kind = words.peekToken().kind;
    // Two names follow each other in `, function_name L, inlined_at 1 2 3`.
    const bool isSecondName =
        isLocation && before == TokenKind::Comma && oneOf(kind, {TokenKind::Id, TokenKind::Dotted});
    if (!isSecondName && !goesOn(last, kind))
      return;
    before = last;
    last = kind;
    take();
  }
}

/// Reads up to the matching closing brace.
void StatementReader::readAsWritten() {
  statement.shape = StatementShape::AsWritten;
  for (uint32_t braces = 0; !endsHere();) {
    const TokenKind kind = words.peekToken().kind;
    braces += kind == TokenKind::LeftBrace;
    take();
    if (kind == TokenKind::RightBrace && (braces == 0 || --braces == 0))
      return;
  }
}

/// Reads `.b32 1, .debug_info, L1-L0` or `name:`.
void StatementReader::readData() {
  statement.shape = StatementShape::Data;
  const bool isName = words.peek().kind == TokenKind::Id;
  take();
  if (isName) {
    if (!endsHere() && words.peekToken().kind == TokenKind::Colon)
      take();
    return;
  }
  for (bool wantsValue = true; !endsHere();) {
    const TokenKind kind = words.peekToken().kind;
    const bool joins = oneOf(kind, {TokenKind::Comma, TokenKind::Plus, TokenKind::Minus});
    if (oneOf(kind, {TokenKind::LeftBrace, TokenKind::RightBrace}) || (!wantsValue && !joins))
      return;
    wantsValue = joins;
    take();
  }
}

void StatementReader::readLabelled() {
  statement.shape = StatementShape::Label;
  take();
  if (!endsHere() && oneOf(words.peekToken().kind, {TokenKind::Targets, TokenKind::Prototype}))
    takeUntilSemicolon(/*bracesBelong=*/true);
}

} // namespace ptxray
