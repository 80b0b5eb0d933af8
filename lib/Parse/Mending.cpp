// Repairs errors of one token: if the next token cannot follow, it is changed or dropped, or another one is inserted.
#include "Diagnostics/Nearest.h"
#include "Parse/RecoveringParser.h"
#include "Source/Narrow.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

namespace ptxray::recover {

bool PtxBase::mend(KindSet expected) {
  return mendHabit(expected) || mendKeyword(expected) || mendHead(expected) || mendSemicolon(expected) ||
         mendComment() || mendExtra(expected) || mendMissing(expected);
}

/// Returns the only directive permitted here whose parts begin like those of the word, such as `.addr_size`.
static const Keyword *abbreviated(llvm::StringRef word, KindSet expected) {
  auto isShort = [](llvm::StringRef written, llvm::StringRef text) {
    llvm::SmallVector<llvm::StringRef, 4> parts, whole;
    written.split(parts, '_');
    text.split(whole, '_');
    return parts.size() > 1 && parts.size() == whole.size() &&
           llvm::all_of(llvm::zip(parts, whole), [](const auto &pair) {
             return !std::get<0>(pair).empty() && std::get<1>(pair).starts_with(std::get<0>(pair));
           });
  };
  const Keyword *found = nullptr;
  for (const Keyword &keyword : keywords())
    if (expected & bit(keyword.kind) && isShort(word, keyword.text)) {
      if (found)
        return nullptr;
      found = &keyword;
    }
  return found;
}

/// Returns whether a name is a type without its dot.
static bool isTypeName(llvm::StringRef name) {
  return name == "pred" || (name.size() > 1 && llvm::StringRef("busf").contains(name.front()) &&
                            llvm::is_contained<llvm::StringRef>({"8", "16", "32", "64", "128"}, name.drop_front()));
}

// Inserts the missing dot before the type in `.reg b32 %r;`.
bool PtxBase::mendType(KindSet expected) {
  Token &ahead = builder->ahead;
  if (ahead.kind != TokenKind::Id || !(expected & bit(TokenKind::Dotted)) || !isTypeName(spelled(ahead)) ||
      !isInside({Ptx::RuleStorage, Ptx::RuleParameter}))
    return false;
  const std::string type = "." + spelled(ahead);
  if (Diagnostic *d = report(DiagId::SyntaxError, ahead.range(), spelled(ahead), describe(expected)))
    d->fix = Fix{"write `" + type + "`", {{ahead.range(), type}}, /*safe=*/true};
  ahead.kind = TokenKind::Dotted;
  ahead.id = scanner->internWord(type);
  return true;
}

// Replaces `.entyr` or `entry` by the closest directive permitted here.
bool PtxBase::mendKeyword(KindSet expected) {
  Token &ahead = builder->ahead;
  if (ahead.kind != TokenKind::Dotted && ahead.kind != TokenKind::Id)
    return false;
  std::string word = spelled(ahead);
  if (ahead.kind == TokenKind::Id)
    word = "." + word;
  const Keyword *meant = nullptr;
  Nearest nearest(word, word.size() < 6 ? 2 : 3);
  for (const Keyword &keyword : keywords())
    if (expected & bit(keyword.kind) && nearest.offer(keyword.text))
      meant = &keyword;
  if (!meant || nearest.only().empty())
    meant = abbreviated(word, expected);
  if (!meant)
    return mendType(expected);
  if (Diagnostic *d = report(DiagId::UnknownDirective, ahead.range(), spelled(ahead)))
    d->fix = Fix{"write `" + meant->text.str() + "`", {{ahead.range(), meant->text.str()}}};
  ahead.kind = meant->kind;
  ahead.id = meant - keywords().begin();
  return true;
}

/// Returns the first bracket that does not match the last open one, or that is never closed.
static size_t oddBracket(llvm::StringRef text) {
  llvm::SmallVector<size_t, 8> open;
  for (size_t i = 0; i < text.size(); ++i) {
    if (llvm::StringRef("([{").contains(text[i])) {
      open.push_back(i);
    } else if (llvm::StringRef(")]}").contains(text[i])) {
      const char partner = text[i] == ')' ? '(' : text[i] == ']' ? '[' : '{';
      if (open.empty() || text[open.back()] != partner)
        return i;
      open.pop_back();
    }
  }
  return open.empty() ? llvm::StringRef::npos : open.back();
}

/// Skips an unknown directive, such as `.launch_bounds 256`, between the head of a function and its body.
bool PtxBase::mendHead(KindSet expected) {
  const Token &ahead = builder->ahead;
  const llvm::StringRef rest = text.drop_front(ahead.begin);
  constexpr size_t longest = 200; // distance to the body
  const size_t body = rest.take_front(longest).find_first_of("{};:\"");
  const bool isDirective = ahead.kind == TokenKind::Dotted || (ahead.kind == TokenKind::Id && startsLine(ahead));
  if (!isDirective || !(expected & bit(TokenKind::LeftBrace)) || builder->isInBody() ||
      !isInside({Ptx::RuleEntry, Ptx::RuleFunc}) || body == llvm::StringRef::npos || rest[body] != '{' ||
      (startsLine(ahead) && !ptxray::startsLine(text, narrow<uint32_t>(ahead.begin + body))))
    return false;
  std::string others;
  for (const Keyword &keyword : keywords())
    if (expected & bit(keyword.kind) && keyword.text != ".pragma")
      others += (others.empty() ? "`" : ", `") + keyword.text.str() + "`";
  if (Diagnostic *d = report(DiagId::UnknownDirective, ahead.range(), spelled(ahead)); d && !others.empty())
    d->notes.push_back({"here may be " + others, std::nullopt});
  do
    drop();
  while (!(expected & bit(builder->ahead.kind)) && builder->ahead.kind != TokenKind::EndOfFile);
  return true;
}

/// Replaces a comma at the end of an instruction by a semicolon, if the next line begins another instruction.
void PtxBase::mendComma(Token &token) {
  if (token.kind != TokenKind::Comma || !inStatement() || !endsLine(token) ||
      oddBracket(text.slice(statementFirst.begin, token.begin)) != llvm::StringRef::npos)
    return;
  const Token next = peek();
  const llvm::StringRef word = text.slice(next.begin, next.end);
  const bool isElement = word.substr(word.find('.')).size() < 3; // `v.x`
  if (next.kind != TokenKind::At && (next.kind != TokenKind::Opcode || !llvm::isLower(word.front()) || isElement))
    return;
  if (Diagnostic *d = report(DiagId::SyntaxError, token.range(), ",", "`;`"))
    d->fix = Fix{"replace it by `;`", {{token.range(), ";"}}};
  token.kind = TokenKind::Semicolon;
}

/// Reports a semicolon between the head of a function and its body, and returns whether there was one. The semicolon is
/// skipped.
bool PtxBase::isBeforeBody(const Token &semicolon) {
  if (builder->isInBody() || !isInside({Ptx::RuleEntry, Ptx::RuleFunc}) || peek().kind != TokenKind::LeftBrace)
    return false;
  if (Diagnostic *d = report(DiagId::ExtraToken, semicolon.range(), ";")) {
    d->notes.push_back({"the body of the function is below", std::nullopt});
    d->fix = Fix{"remove `;`", {{semicolon.range(), ""}}, /*safe=*/true};
  }
  return true;
}

// Replaces the semicolon of `{1; 0}`: the list continues.
bool PtxBase::mendSemicolon(KindSet expected) {
  constexpr KindSet closers = kinds(TokenKind::RightBrace, TokenKind::EndOfBody, TokenKind::RightBracket,
                                    TokenKind::RightParen, TokenKind::CloseGroup);
  constexpr KindSet names =
      kinds(TokenKind::Id, TokenKind::Opcode, TokenKind::Integer, TokenKind::Float, TokenKind::WarpSize);
  Token &ahead = builder->ahead;
  if (ahead.kind != TokenKind::Semicolon || !(expected & bit(TokenKind::Comma)) || !(expected & closers))
    return false;
  Scanner copy = *scanner;
  Token next = peek(), behind;
  if (startsLine(next))
    return false;
  copy.moveTo(next.end);
  copy.next(behind);
  const bool isElement = names & bit(next.kind) && (closers | bit(TokenKind::Comma)) & bit(behind.kind);
  if (!isElement && next.kind != TokenKind::LeftBrace && !isWord(next, ".param") && !isWord(next, ".reg"))
    return false;
  if (Diagnostic *d = report(DiagId::SyntaxError, ahead.range(), ";", "`,`"))
    d->fix = Fix{"replace it by `,`", {{ahead.range(), ","}}};
  ahead.kind = TokenKind::Comma;
  return true;
}

/// Returns whether a token is a brace. Which brace is superfluous or missing is only a guess.
static bool isBrace(llvm::StringRef token) { return token == "{" || token == "}"; }

/// Decides whether to offer the fix of one bracket or comma: only if the line is then certainly correct. If a bracket
/// is superfluous at both ends, as in `[[a]]`, the fix removes both.
void PtxBase::weighFix(Diagnostic &d) const {
  const Edit &edit = d.fix->edits.front();
  const llvm::StringRef changed = edit.text.empty() ? text.slice(edit.range.begin, edit.range.end) : edit.text;
  const uint32_t begin = statementFirst.begin;
  if (!llvm::StringRef("()[],").contains(changed) || !inStatement() || edit.range.begin < begin)
    return;
  const uint32_t end = std::min(text.find_first_of(";\n", edit.range.begin), text.size());
  const llvm::StringRef before = text.slice(begin, edit.range.begin), behind = text.slice(edit.range.end, end);
  if (changed == "," && behind.ltrim().starts_with("[") && before.count('[') > before.count(']'))
    return d.fix.reset();
  std::string fixed = (before + edit.text.str() + behind).str();
  if (const size_t odd = oddBracket(fixed); odd != llvm::StringRef::npos) {
    const bool closes = (changed == "[" && fixed[odd] == ']') || (changed == "(" && fixed[odd] == ')');
    if (!edit.text.empty() || !closes || odd < before.size())
      return d.fix.reset();
    fixed.erase(odd, 1);
    if (oddBracket(fixed) != llvm::StringRef::npos)
      return d.fix.reset();
    const uint32_t at = edit.range.end + static_cast<uint32_t>(odd - before.size());
    d.fix->edits.push_back({{at, at + 1}, ""});
  }
}

/// Returns whether a brace of the statement would close another one, possibly the body, if this one were missing.
bool PtxBase::hasPartner(const Token &brace) const {
  const size_t end = std::min(text.find_first_of(";\n", brace.end), text.size());
  int open = 0;
  for (size_t at = statementFirst.begin; at < end && open >= 0; ++at)
    if (at != brace.begin)
      open += (text[at] == '{') - (text[at] == '}');
  return open < 0;
}

// Drops the second token of `,,`, `]]` or `;;` if the following token fits.
bool PtxBase::mendExtra(KindSet expected) {
  Token &ahead = builder->ahead;
  constexpr KindSet droppable = kinds(TokenKind::Semicolon, TokenKind::Comma, TokenKind::Colon, TokenKind::LeftBrace,
                                      TokenKind::RightBrace, TokenKind::EndOfBody, TokenKind::LeftBracket) |
                                kinds(TokenKind::RightBracket, TokenKind::LeftParen, TokenKind::RightParen,
                                      TokenKind::CloseGroup, TokenKind::At, TokenKind::Not, TokenKind::Bar) |
                                kinds(TokenKind::Equal, TokenKind::Less, TokenKind::Greater, TokenKind::Plus,
                                      TokenKind::Minus, TokenKind::Infix, TokenKind::Tilde, TokenKind::Question);
  if (!(droppable & bit(ahead.kind)))
    return false;
  Token next = peek();
  if (!(expected & bit(next.kind)))
    return false;
  if (ahead.kind == TokenKind::Semicolon && inStatement() && !isClosedBehind(ahead))
    return false;
  // The token is intentional: `%r1 = 5;`, `@%p1 @%p2 ...`, `@%p1 {`.
  const bool isGuarded = statementFirst.kind == TokenKind::At && builder->last.begin > statementFirst.begin;
  const bool joinsGuards = isGuarded && ahead.kind == TokenKind::Infix;
  if (inStatement() && (ahead.kind == TokenKind::Equal || joinsGuards ||
                        (isGuarded && kinds(TokenKind::At, TokenKind::LeftBrace) & bit(ahead.kind))))
    return false;
  if (ahead.kind == TokenKind::LeftBrace && inStatement() && hasPartner(ahead))
    return false; // without it, the other one would close the body
  bool closesBody = ahead.kind == TokenKind::EndOfBody;
  if ((ahead.kind == TokenKind::RightBrace || closesBody) && startsLine(ahead) && expected & bit(TokenKind::Semicolon))
    return false; // a semicolon is missing before it
  // The arguments of a call may be on separate lines.
  if (ahead.kind == TokenKind::RightParen && inStatement())
    for (uint32_t at = statementFirst.begin; at < ahead.begin;) {
      const llvm::StringRef line = text.slice(at, lineRange(at, at).end);
      if (hasTrace(line)) {
        report(DiagId::ExpectedBracket, {at, at}, "(", spelled(statementFirst));
        throw SyntaxFault();
      }
      at += line.size() + 1;
    }
  if (Diagnostic *d = report(DiagId::ExtraToken, ahead.range(), spelled(ahead))) {
    constexpr KindSet beginsOperand = kinds(TokenKind::Comma, TokenKind::LeftBracket);
    const bool isAddressOf = spelled(ahead) == "&" && beginsOperand & bit(builder->last.kind);
    if (isAddressOf)
      d->notes.push_back({"PTX has no `&`: the name of a variable is its address", std::nullopt});
    // `%r1 = %r2 + %r3` needs more than one replacement.
    if (isAddressOf || llvm::StringRef(",;:()[]{}|@!").contains(spelled(ahead))) {
      d->fix = Fix{"remove `" + spelled(ahead) + "`", {{ahead.range(), ""}}, /*safe=*/!isBrace(spelled(ahead))};
      weighFix(*d);
    }
  }
  if (ahead.kind == TokenKind::RightBrace || closesBody)
    ++scanner->braces;
  if (ahead.kind == TokenKind::LeftBrace && scanner->braces)
    --scanner->braces;
  drop();
  return true;
}

Diagnostic *PtxBase::reportMissing(TokenKind kind, llvm::StringRef token, uint32_t at) {
  const std::string before = spelled(builder->last);
  switch (kind) {
  case TokenKind::Comma: return report(DiagId::ExpectedComma, {at, at}, before);
  case TokenKind::Semicolon: return report(DiagId::ExpectedSemicolon, {at, at}, before);
  default: return report(DiagId::ExpectedBracket, {at, at}, token, before);
  }
}

static llvm::StringRef spellingOf(TokenKind kind) {
  switch (kind) {
  case TokenKind::LeftParen: return "(";
  case TokenKind::RightParen: return ")";
  case TokenKind::LeftBrace: return "{";
  case TokenKind::RightBrace: return "}";
  case TokenKind::RightBracket: return "]";
  case TokenKind::Greater: return ">";
  case TokenKind::Comma: return ",";
  default: return ";";
  }
}

void PtxBase::insert(TokenKind kind) {
  const llvm::StringRef token = spellingOf(kind);
  uint32_t at = builder->last.end;
  constexpr KindSet alone = kinds(TokenKind::LeftParen, TokenKind::RightParen, TokenKind::RightBrace);
  if (kind == TokenKind::LeftBrace || (alone & bit(kind) && startsLine(builder->ahead)))
    at = emptyLineBehindLast(kind == TokenKind::RightParen);
  if (at == builder->last.end && builder->ahead.kind == TokenKind::Semicolon && startsLine(builder->ahead))
    at = builder->ahead.begin;
  if (Diagnostic *d = reportMissing(kind, token, at)) {
    Insertion &insertion = insertions[kind];
    if (insertion.text.empty())
      insertion = {"insert `" + token.str() + "`", token.str()};
    Fix &fix = d->fix.emplace();
    fix.title = insertion.title;
    fix.edits.push_back({{at, at}, insertion.text});
    fix.safe = !isBrace(token);
    weighFix(*d);
  }
  pending = builder->ahead;
  Token &ahead = builder->ahead;
  ahead = Token();
  ahead.kind = kind;
  ahead.begin = ahead.end = at;
}

// Returns the location of a lost token that was alone on its line and left an empty line. If `orComment`, the line may
// contain a comment, because the token was a parenthesis.
uint32_t PtxBase::emptyLineBehindLast(bool orComment) const {
  const uint32_t from = builder->last.end;
  llvm::StringRef rest = text.drop_front(from);
  llvm::SmallVector<uint32_t, 4> emptyLines;
  size_t newline = rest.find('\n');
  llvm::StringRef behind = rest.take_front(newline).trim();
  if (!behind.empty() && !behind.starts_with("//"))
    return from;
  while (newline != llvm::StringRef::npos) {
    size_t next = rest.find('\n', newline + 1);
    llvm::StringRef line = rest.slice(newline + 1, next);
    const bool onlyComment = line.starts_with(" ") && line.trim().starts_with("//");
    if (!line.trim().empty() && !onlyComment)
      break;
    if (hasTrace(line) || (onlyComment && orComment))
      return from + newline + 1;
    if (!onlyComment && (newline + 1 < rest.size() || emptyLines.empty()))
      emptyLines.push_back(from + newline + 1);
    newline = next;
  }
  return emptyLines.empty() ? from : emptyLines[emptyLines.size() / 2];
}

// Ends a function whose body continues to the end of the file, or to the next item.
bool PtxBase::mendBodyEnd() {
  const Token &ahead = builder->ahead;
  if (ahead.kind != TokenKind::EndOfFile && !(startsLine(ahead) && startsItem(ahead)))
    return false;
  beginStatement();
  const std::string before = ahead.kind == TokenKind::EndOfFile ? "the end of the file" : "`" + spelled(ahead) + "`";
  const uint32_t at = emptyLineBehindLast(false);
  if (Diagnostic *d = report(DiagId::UnclosedBrace, {at, at}, before))
    d->notes.push_back({"the body begins here", bodyBrace});
  builder->closeBlocks(ahead.begin);
  scanner->braces = 0;
  pending = ahead;
  builder->ahead.kind = TokenKind::EndOfBody;
  builder->ahead.begin = builder->ahead.end = at;
  return true;
}

std::optional<TokenKind> PtxBase::missingOpening(KindSet expected) {
  const Token &ahead = builder->ahead;
  auto wants = [expected](TokenKind kind) { return (expected & bit(kind)) != 0; };
  const bool newLine = startsLine(ahead);
  const bool inHead = !builder->isInBody() && isInside({Ptx::RuleEntry, Ptx::RuleFunc});
  if (wants(TokenKind::LeftParen) && !wants(TokenKind::Minus) && (newLine || inHead) && isWord(ahead, ".param"))
    return TokenKind::LeftParen;
  const bool beginsBody = inHead && (startsStatement(ahead) || ahead.kind == TokenKind::Space);
  if (wants(TokenKind::LeftBrace) && newLine && (beginsBody || rules.back().rule == Ptx::RuleSection))
    return TokenKind::LeftBrace;
  return std::nullopt;
}

// Returns whether the name of a function follows on the next line, after `call (a)`.
bool PtxBase::listGoesOnBelow() {
  const Token &ahead = builder->ahead;
  return startsLine(ahead) && (ahead.kind == TokenKind::LeftParen || isVectorLine(text, ahead.begin) ||
                               (kinds(TokenKind::Id, TokenKind::Integer) & bit(ahead.kind) &&
                                kinds(TokenKind::Comma, TokenKind::RightParen) & bit(peek().kind)));
}

bool PtxBase::closesBlock() {
  const Token &ahead = builder->ahead;
  if (ahead.kind != TokenKind::EndOfBody && ahead.kind != TokenKind::RightBrace)
    return false;
  if (startsLine(ahead))
    return true;
  const Token behind = peek(); // `a } { b, c;` closes nothing
  return behind.kind != TokenKind::LeftBrace || startsLine(behind);
}

std::optional<TokenKind> PtxBase::missingClosing(KindSet expected) {
  const Token &ahead = builder->ahead;
  auto wants = [expected](TokenKind kind) { return (expected & bit(kind)) != 0; };
  const bool newLine = startsLine(ahead);
  constexpr KindSet behindClosing =
      kinds(TokenKind::Comma, TokenKind::EndOfFile, TokenKind::Equal, TokenKind::LeftBrace);
  const bool endsStatement = ahead.kind == TokenKind::Semicolon && !isClosedBehind(ahead);
  if (!newLine && !endsStatement && !(behindClosing & bit(ahead.kind)) && !closesBlock())
    return std::nullopt;
  if (wants(TokenKind::RightBracket))
    return TokenKind::RightBracket;
  if (wants(TokenKind::RightParen) && !(newLine && ahead.kind == TokenKind::Space))
    return TokenKind::RightParen;
  if (expected == bit(TokenKind::Greater))
    return TokenKind::Greater;
  if (wants(TokenKind::RightBrace) && wants(TokenKind::Comma))
    return TokenKind::RightBrace;
  return std::nullopt;
}

/// Returns the token that is missing between existing ones.
std::optional<TokenKind> PtxBase::missingToken(KindSet expected) {
  const Token &ahead = builder->ahead;
  auto wants = [expected](TokenKind kind) { return (expected & bit(kind)) != 0; };
  if (const auto opening = missingOpening(expected))
    return opening;
  if (wants(TokenKind::Comma) && listGoesOnBelow())
    return TokenKind::Comma;
  if (const auto closing = missingClosing(expected))
    return closing;
  const bool atEnd = ahead.kind == TokenKind::EndOfFile;
  // A truncated text is reported once, by its missing brace.
  if (wants(TokenKind::Semicolon) && atEnd && inStatement())
    throw SyntaxFault();
  if (wants(TokenKind::Semicolon) && (startsLine(ahead) || atEnd || closesBlock()))
    return TokenKind::Semicolon;
  // The function's name follows its results: `.func (.param .b32 r name (`.
  if (wants(TokenKind::RightParen) && ahead.kind == TokenKind::Id && isInside({Ptx::RuleResults}))
    return TokenKind::RightParen;
  return std::nullopt;
}

bool PtxBase::isCommaMissing(KindSet expected) const {
  constexpr KindSet operandStart = kinds(TokenKind::Id, TokenKind::Opcode, TokenKind::Integer, TokenKind::Float,
                                         TokenKind::WarpSize, TokenKind::LeftBrace, TokenKind::LeftBracket) |
                                   kinds(TokenKind::LeftParen, TokenKind::Not, TokenKind::Space, TokenKind::String);
  const TokenKind ahead = builder->ahead.kind;
  const bool opensGroup = ahead == TokenKind::LeftParen && !inStatement();
  return expected & bit(TokenKind::Comma) && operandStart & bit(ahead) && !opensGroup;
}

/// Returns whether the statement is a guarded instruction without `@`: `%p1 bra DONE`.
bool PtxBase::isGuardWithoutAt() const {
  return inStatement() && statementFirst.kind == TokenKind::Id && builder->last.begin > statementFirst.begin &&
         text.substr(statementFirst.begin).starts_with("%") &&
         !text.slice(statementFirst.end, builder->last.begin).contains(',');
}

bool PtxBase::mendMissing(KindSet expected) {
  if (expected & bit(TokenKind::EndOfBody) && rules.back().rule == Ptx::RuleBody)
    return mendBodyEnd();
  if (mendLonelyWord())
    return false;
  if (const std::optional<TokenKind> missing = missingToken(expected))
    return insert(*missing), true;
  if (mendFileName(expected))
    return true;
  if (!isCommaMissing(expected))
    return false;
  if (isGuardWithoutAt()) {
    const Token &guard = statementFirst;
    if (Diagnostic *d = report(DiagId::SyntaxError, guard.range(), spelled(guard), "an instruction"))
      d->fix = Fix{"write `@" + spelled(guard) + "`, a guard", {{{guard.begin, guard.begin}, "@"}}};
    foreignEnd = lineRange(guard.begin, guard.begin).end;
    throw SyntaxFault();
  }
  // In `[a][%r1]`, inserting a comma would produce two operands.
  const bool isIndexed = inStatement() && builder->last.kind == TokenKind::RightBracket &&
                         builder->ahead.kind == TokenKind::LeftBracket && builder->last.end == builder->ahead.begin;
  if (isIndexed) {
    if (Diagnostic *d = reportMissing(TokenKind::Comma, ",", builder->last.end))
      d->notes.push_back(
          {"an address is one register and a constant in brackets; combine two registers with `add`", std::nullopt});
    throw SyntaxFault();
  }
  insert(TokenKind::Comma);
  return true;
}

// Joins `.file 1 "folder" "name"`, the notation of other assemblers, to one name.
bool PtxBase::mendFileName(KindSet expected) {
  const Token &ahead = builder->ahead, &before = builder->last;
  if (!(expected & bit(TokenKind::Comma)) || ahead.kind != TokenKind::String || before.kind != TokenKind::String ||
      !isWord(statementFirst, ".file"))
    return false;
  if (Diagnostic *d = report(DiagId::ExtraToken, ahead.range(), spelled(ahead))) {
    const llvm::StringRef folder = text.slice(before.begin + 1, before.end - 1);
    const llvm::StringRef name = text.slice(ahead.begin + 1, ahead.end - 1);
    const std::string whole =
        "\"" + (name.starts_with("/") || folder.empty() ? "" : folder.rtrim('/').str() + "/") + name.str() + "\"";
    d->notes.push_back({"`.file` has one name, which includes the folder", std::nullopt});
    d->fix = Fix{"write `" + whole + "`", {{{before.begin, ahead.end}, whole}}, /*safe=*/true};
  }
  drop();
  return true;
}

// Repairs a lone `ret` or `$L1` that took the next line for its operands: goes back to the end of its line.
bool PtxBase::mendLonelyWord() {
  constexpr KindSet words = kinds(TokenKind::Id, TokenKind::Opcode);
  const Token &word = statementFirst;
  if (!(words & bit(word.kind)) || !inStatement() || builder->last.begin <= word.begin || !startsLine(word) ||
      !endsLine(word))
    return false;
  // Its operands may be on the following lines.
  if (const size_t next = text.find_first_not_of(" \t\r\n", word.end);
      next != llvm::StringRef::npos && text[next] == '{' && !text.substr(next + 1).ltrim(" \t\r").starts_with("\n"))
    return false;
  lonelyWord = true;
  throw SyntaxFault();
}

} // namespace ptxray::recover
