// Tokens that people write out of habit: from C, other assemblers, or a word processor. Each gets one report, with what
// PTX has in its place.
#include "Parse/RecoveringParser.h"
#include "Source/Foreign.h"
#include "llvm/ADT/StringExtras.h"

namespace ptxray::recover {

bool PtxBase::mendHabit(KindSet expected) {
  return mendReturnType() || mendAssemblerDirective() || mendNegatedGuard() || mendProduct() || mendTypeAfterComma() ||
         mendAddress(expected);
}

/// Drops the rest of the line of `token`.
void PtxBase::dropLine(const Token &token) {
  const uint32_t end = lineRange(token.begin, token.begin).end;
  do {
    builder->last = builder->ahead;
    drop();
  } while (builder->ahead.begin < end && builder->ahead.kind != TokenKind::EndOfFile);
}

/// `.entry void k()`: the type was read as the name.
bool PtxBase::mendReturnType() {
  const Token &type = builder->last;
  Token &name = builder->ahead;
  const size_t rule = rules.back().rule;
  const bool isOfFunction = rule == Ptx::RuleEntry || rule == Ptx::RuleFunc;
  if (!isOfFunction || builder->isInBody() || type.kind != TokenKind::Id || name.kind != TokenKind::Id)
    return false;
  const llvm::StringRef written = text.slice(type.begin, type.end);
  if (written != "void" && typeOfOtherLanguage(written).empty())
    return false;
  if (Diagnostic *d = report(DiagId::ExtraToken, type.range(), written)) {
    d->notes.push_back({rule == Ptx::RuleEntry
                            ? "a kernel returns nothing: its name follows `.entry`"
                            : "results are in parentheses before the name: `.func (.reg .b32 result) name`",
                        std::nullopt});
    d->fix = Fix{"remove `" + written.str() + "`", {{{type.begin, name.begin}, ""}}, /*safe=*/written == "void"};
  }
  builder->functionName(name);
  builder->last = name;
  drop();
  return true;
}

/// Reports `.globl k` and `.text`: GNU assembler directives that other assembly languages use.
bool PtxBase::mendAssemblerDirective() {
  const Token &ahead = builder->ahead;
  if (ahead.kind != TokenKind::Dotted || !startsLine(ahead))
    return false;
  const std::string word = spelled(ahead);
  if (!builder->isInBody() && (word == ".arch" || word == ".cpu")) {
    if (Diagnostic *d = report(DiagId::UnknownDirective, ahead.range(), word))
      d->fix = Fix{"write `.target`", {{ahead.range(), ".target"}}, /*safe=*/true};
    const auto *target = llvm::find_if(keywords(), [](const Keyword &keyword) { return keyword.text == ".target"; });
    builder->ahead.kind = target->kind;
    builder->ahead.id = static_cast<uint32_t>(target - keywords().begin());
    return true;
  }
  const bool exports = word == ".globl";
  if (!exports &&
      !llvm::is_contained<llvm::StringRef>(
          {".text",   ".data",          ".bss",         ".rodata",       ".size",   ".type", ".ident", ".p2align",
           ".balign", ".cfi_startproc", ".cfi_endproc", ".byte",         ".word",   ".long", ".quad",  ".ascii",
           ".asciz",  ".set",           ".equ",         ".intel_syntax", ".syntax", ".thumb"},
          word))
    return false;
  if (Diagnostic *d = report(DiagId::UnknownDirective, ahead.range(), word))
    d->notes.push_back(
        {exports ? "`.globl` is a GNU assembler directive; in PTX, write `.visible` before `.entry` or `.func`"
                 : "this is a GNU assembler directive, which PTX does not need",
         std::nullopt});
  dropLine(ahead);
  return true;
}

/// `!@%p1 bra`: makes it `@!%p1 bra`.
bool PtxBase::mendNegatedGuard() {
  const Token negation = builder->ahead;
  if (negation.kind != TokenKind::Not || pending || held || peek().kind != TokenKind::At)
    return false;
  drop();
  const Token at = builder->ahead;
  if (Diagnostic *d = report(DiagId::SyntaxError, negation.range(), "!", "`@`"))
    d->fix = Fix{"write `@!`", {{{negation.begin, at.end}, "@!"}}, /*safe=*/true};
  builder->ahead = at;
  pending = negation;
  pending->begin = pending->end = at.end;
  return true;
}

/// `2 x 4096`, `4 * %r1`: an operand is no expression of other names.
bool PtxBase::mendProduct() {
  const Token &number = builder->last, &name = builder->ahead;
  if (number.kind != TokenKind::Integer || name.kind != TokenKind::Id || !inStatement() ||
      text.substr(name.begin).starts_with("%") || startsLine(name))
    return false;
  if (Diagnostic *d = report(DiagId::SyntaxError, name.range(), spelled(name), "`,` or `;`")) {
    const bool isProduct = spelled(name).starts_with("x");
    d->notes.push_back({isProduct ? "a product of constants is written with `*`: `2*4096`"
                                  : "an operand is one register, name, or constant expression such as `2*4096`",
                        std::nullopt});
  }
  foreignEnd = lineRange(name.begin, name.begin).end;
  throw SyntaxFault();
}

/// `ld.global,f32`: a comma in place of the dot before a qualifier.
bool PtxBase::mendTypeAfterComma() {
  const Token &ahead = builder->ahead;
  if (ahead.kind != TokenKind::Comma || !inStatement() || builder->last.begin != statementFirst.begin ||
      !(kinds(TokenKind::Opcode, TokenKind::Id) & bit(builder->last.kind)))
    return false;
  const llvm::StringRef rest = text.drop_front(ahead.end);
  const llvm::StringRef word = rest.take_while([](char c) { return llvm::isAlnum(c) || c == '.'; });
  const llvm::StringRef type = word.split('.').first; // `f32`
  const bool isType = type.size() > 1 && llvm::StringRef("busf").contains(type.front()) &&
                      llvm::is_contained<llvm::StringRef>({"8", "16", "32", "64", "128"}, type.drop_front());
  if (!isType)
    return false;
  const llvm::StringRef opcode = text.slice(builder->last.begin, builder->last.end);
  if (Diagnostic *d = report(DiagId::SyntaxError, ahead.range(), ",", "`.` or a blank")) {
    d->notes.push_back({"the qualifiers of an instruction are joined by dots", std::nullopt});
    d->fix = Fix{"write `" + (opcode + "." + word).str() + "`", {{ahead.range(), "."}}};
  }
  foreignEnd = lineRange(ahead.begin, ahead.begin).end;
  throw SyntaxFault();
}

/// `4(%rd5)` and `[%rd5, 4]`, addresses of other assemblers, and `%f1 [%rd5]` without a comma.
bool PtxBase::mendAddress(KindSet expected) {
  const Token &last = builder->last, &ahead = builder->ahead;
  if (!inStatement())
    return false;
  auto isOfName = [](char c) { return llvm::isAlnum(c) || c == '_' || c == '$' || c == '%'; };
  if (ahead.kind == TokenKind::LeftParen && last.end == ahead.begin && last.kind == TokenKind::Integer &&
      text.substr(ahead.end).starts_with("%")) {
    const llvm::StringRef base = text.substr(ahead.end).take_while(isOfName);
    const llvm::StringRef offset = text.slice(last.begin, last.end);
    const bool isWhole = text.substr(ahead.end + base.size()).starts_with(")");
    const uint32_t end = ahead.end + static_cast<uint32_t>(base.size()) + 1;
    const std::string address = ("[" + base + "+" + offset + "]").str();
    if (Diagnostic *d = report(DiagId::SyntaxError, ahead.range(), "(", "`,`")) {
      d->notes.push_back({"an address is written in brackets: `" + address + "`", std::nullopt});
      if (isWhole)
        d->fix = Fix{"write `" + address + "`", {{{last.begin, end}, address}}, /*safe=*/true};
    }
    foreignEnd = lineRange(ahead.begin, ahead.begin).end;
    throw SyntaxFault();
  }
  const bool isAfterComma = last.kind == TokenKind::Comma && ahead.kind == TokenKind::Integer &&
                            !(expected & bit(TokenKind::Integer)) && expected & bit(TokenKind::LeftBrace);
  if (!isAfterComma)
    return false;
  if (Diagnostic *d = report(DiagId::SyntaxError, {last.begin, ahead.end}, text.slice(last.begin, ahead.end),
                             "an offset such as `+" + spelled(ahead) + "`")) {
    d->notes.push_back({"an address is one register or name and a constant: `[%rd1+4]`", std::nullopt});
    d->fix = Fix{"write `+" + spelled(ahead) + "`", {{{last.begin, ahead.begin}, "+"}}};
  }
  foreignEnd = lineRange(ahead.begin, ahead.begin).end;
  throw SyntaxFault();
}

/// Reads a character as in C, `'a'`, as a number.
bool PtxBase::readCharacter(Token &token) {
  const llvm::StringRef written = text.substr(token.begin, 3);
  if (token.bad != BadToken::StrayCharacter || written.size() < 3 || !written.starts_with("'") ||
      !written.ends_with("'"))
    return false;
  token.end = token.begin + 3;
  const std::string number = std::to_string(static_cast<unsigned char>(written[1]));
  if (Diagnostic *d = report(DiagId::MalformedNumber, token.range(), written.str())) {
    d->notes.push_back({"PTX has no character constants; the code of this character is " + number, std::nullopt});
    d->fix = Fix{"write `" + number + "`", {{token.range(), number}}, /*safe=*/true};
  }
  badTokenEnd = token.end;
  scanner->moveTo(token.end);
  token.kind = TokenKind::Integer;
  token.flags = 0;
  token.value = 0;
  return true;
}

/// `add . s32`: makes one word of the dot and the word after it on its line. Returns false if there is none.
bool PtxBase::joinDot(Token &token) {
  const uint32_t dot = token.begin;
  scanner->next(token);
  if (token.kind != TokenKind::Id || startsLine(token)) {
    scanner->moveTo(dot + 1);
    return false;
  }
  token.id = scanner->internWord("." + text.slice(token.begin, token.end).str());
  token.kind = token.id < keywordCount ? keywords()[token.id].kind : TokenKind::Dotted;
  token.begin = dot;
  return true;
}

/// `...` in place of lines that were left out: passes over the dots.
bool PtxBase::readDots(const Token &token) {
  if (token.bad != BadToken::StrayCharacter || !text.substr(token.begin).starts_with("..."))
    return false;
  const auto count = static_cast<uint32_t>(text.substr(token.begin).take_while([](char c) { return c == '.'; }).size());
  const Range dots{token.begin, token.begin + count};
  if (Diagnostic *d = report(DiagId::StrayCharacter, dots, text.slice(dots.begin, dots.end)))
    d->notes.push_back({"`...` marks lines that were left out: they are missing here", std::nullopt});
  badTokenEnd = dots.end;
  scanner->moveTo(dots.end);
  return true;
}

/// `#version 8.5`: makes it the directive, as if it had its dot.
bool PtxBase::readHashDirective(Token &token) {
  if (token.bad != BadToken::StrayCharacter || text[token.begin] != '#' || !startsLine(token))
    return false;
  const llvm::StringRef word =
      text.drop_front(token.end).take_while([](char c) { return llvm::isAlpha(c) || c == '_'; });
  const std::string directive = "." + word.str();
  const auto *known = llvm::find_if(keywords(), [&](const Keyword &keyword) { return keyword.text == directive; });
  if (known == keywords().end() || word == "pragma" || word == "section" || word == "file")
    return false;
  token.end += static_cast<uint32_t>(word.size());
  if (Diagnostic *d = report(DiagId::UnknownDirective, token.range(), "#" + word.str()))
    d->fix = Fix{"write `" + directive + "`", {{token.range(), directive}}, /*safe=*/true};
  badTokenEnd = token.end;
  token.kind = known->kind;
  token.id = static_cast<uint32_t>(known - keywords().begin());
  scanner->moveTo(token.end);
  return true;
}

/// A full-width comma, U+FF0C, or a minus sign, U+2212: a character that looks like one of PTX is read as that one.
bool PtxBase::readLookalike(Token &token) {
  struct Lookalike {
    llvm::StringLiteral written, meant;
    TokenKind kind; // Invalid: a blank
  };
  static constexpr Lookalike known[] = {
      {"\uFF0C", ",", TokenKind::Comma},        {"\uFF1B", ";", TokenKind::Semicolon},
      {"\uFF1A", ":", TokenKind::Colon},        {"\u3010", "[", TokenKind::LeftBracket},
      {"\u3011", "]", TokenKind::RightBracket}, {"\uFF3B", "[", TokenKind::LeftBracket},
      {"\uFF3D", "]", TokenKind::RightBracket}, {"\u2212", "-", TokenKind::Minus},
      {"\u2013", "-", TokenKind::Minus},        {"\uFF20", "@", TokenKind::At},
      {"\uFF01", "!", TokenKind::Not},          {"\u00A0", " ", TokenKind::Invalid},
      {"\u200B", "", TokenKind::Invalid},       {"\u3000", " ", TokenKind::Invalid},
      {"\uFEFF", "", TokenKind::Invalid},
  };
  if (token.bad != BadToken::NonAscii)
    return false;
  const llvm::StringRef rest = text.drop_front(token.begin);
  const auto *found = llvm::find_if(known, [&](const Lookalike &one) { return rest.starts_with(one.written); });
  if (found == std::end(known))
    return false;
  token.end = token.begin + static_cast<uint32_t>(found->written.size());
  if (Diagnostic *d = report(DiagId::NonAsciiCharacter, token.range())) {
    const std::string title =
        found->kind == TokenKind::Invalid ? "replace this non-ASCII space" : "write `" + found->meant.str() + "`";
    d->fix = Fix{title, {{token.range(), found->meant.str()}}, /*safe=*/true};
  }
  badTokenEnd = token.end;
  scanner->moveTo(token.end);
  token.kind = found->kind;
  return true;
}

} // namespace ptxray::recover
