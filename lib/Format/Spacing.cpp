#include "Format/Spacing.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

Spacing::Spacing(const TextStatement &statement) : isLabel(statement.shape == StatementShape::Label) {
  isGuarded = statement.words.front().isToken(TokenKind::At);
  isDeclaration = statement.shape == StatementShape::Head ||
                  oneOf(statement.words.front().kind,
                        {TokenKind::Space, TokenKind::Linkage, TokenKind::Align, TokenKind::Attribute});
}

Gap Spacing::before(const Word &token) {
  const TokenKind kind = token.kind;
  const Gap gap = tokens == 0 ? Gap::None : gapBefore(kind);
  if (isGuarded && opcode == 0 && kind == TokenKind::Id)
    opcode = tokens + 1;
  isPair = kind == TokenKind::Bar && !isDeclaration && oneOf(last, {TokenKind::Id, TokenKind::RightBrace});
  if (kind == TokenKind::Less && last == TokenKind::Id && gap == Gap::None)
    isInAngles = true;
  else if (kind == TokenKind::Greater)
    isInAngles = false;
  if (kind == TokenKind::Attribute)
    isInAttribute = true;
  else if (kind == TokenKind::Space)
    isInAttribute = false;
  sawEqual |= kind == TokenKind::Equal;
  depth += kind == TokenKind::LeftBrace;
  depth -= kind == TokenKind::RightBrace && depth;
  last = kind;
  ++tokens;
  return gap;
}

bool Spacing::isAfterOpening() const {
  return oneOf(last, {TokenKind::LeftBrace, TokenKind::LeftBracket, TokenKind::LeftParen}) ||
         (isInAngles && last == TokenKind::Less);
}

bool Spacing::isAfterOperator() const {
  return oneOf(last, {TokenKind::Plus, TokenKind::Minus, TokenKind::Infix, TokenKind::Tilde, TokenKind::Question,
                      TokenKind::Less, TokenKind::Colon, TokenKind::Bar, TokenKind::Not});
}

Gap Spacing::gapBefore(TokenKind kind) const {
  if (isInInitialiser() && depth) {
    const bool closes = kind == TokenKind::RightBrace;
    const bool ends = oneOf(kind, {TokenKind::Comma, TokenKind::Semicolon, TokenKind::RightParen});
    const bool begins = oneOf(last, {TokenKind::LeftBrace, TokenKind::Comma}) && !ends;
    if (closes ? last != TokenKind::LeftBrace : begins)
      return Gap::Line;
  }
  switch (kind) {
  case TokenKind::Semicolon:
  case TokenKind::Comma:
  case TokenKind::RightParen:
  case TokenKind::RightBracket:
  case TokenKind::RightBrace: return Gap::None;
  case TokenKind::Equal: return Gap::Blank;
  case TokenKind::LeftParen: return beforeParen();
  case TokenKind::LeftBracket: return beforeBracket();
  case TokenKind::Less:
    return last == TokenKind::Id && (isLabel || (isDeclaration && !sawEqual)) ? Gap::None : beforeOperator();
  case TokenKind::Greater: return isInAngles ? Gap::None : beforeOperator();
  case TokenKind::Colon: return tokens == 1 ? Gap::None : beforeOperator();
  case TokenKind::Bar:
    return !isDeclaration && oneOf(last, {TokenKind::Id, TokenKind::RightBrace}) ? Gap::None : beforeOperator();
  case TokenKind::Plus:
  case TokenKind::Minus:
  case TokenKind::Infix:
  case TokenKind::Tilde:
  case TokenKind::Question:
  case TokenKind::Not: return beforeOperator();
  default: return beforeOther(kind);
  }
}

Gap Spacing::beforeParen() const {
  const bool isCalled = isDeclaration && oneOf(last, {TokenKind::Id, TokenKind::Call, TokenKind::Integer});
  if (isAfterOpening() || isCalled || last == TokenKind::Attribute || (isInAttribute && last == TokenKind::Dotted))
    return Gap::None;
  return isAfterOperator() || last == TokenKind::RightParen ? Gap::AsWritten : Gap::Blank;
}

Gap Spacing::beforeBracket() const {
  const bool isSubscript =
      oneOf(last, {TokenKind::Id, TokenKind::Call, TokenKind::RightBracket, TokenKind::Greater, TokenKind::WarpSize});
  return isAfterOpening() || (isSubscript && tokens != opcode + 1) ? Gap::None : Gap::Blank;
}

/// Returns the gap before a sign or an operator.
Gap Spacing::beforeOperator() const {
  if (isAfterOpening() || last == TokenKind::At)
    return Gap::None;
  const bool beginsOperand = oneOf(last, {TokenKind::Comma, TokenKind::Equal, TokenKind::Opcode, TokenKind::Dotted,
                                          TokenKind::Space, TokenKind::Linkage, TokenKind::Call}) ||
                             tokens == opcode + 1;
  return beginsOperand ? Gap::Blank : Gap::AsWritten;
}

Gap Spacing::beforeOther(TokenKind kind) const {
  if (isAfterOpening() || isPair || (oneOf(last, {TokenKind::At, TokenKind::Not}) && kind == TokenKind::Id))
    return Gap::None;
  if (kind == TokenKind::Dotted && last == TokenKind::RightBracket && !isDeclaration) // `[a].unified`
    return Gap::None;
  auto isDotted = [](TokenKind k) { return oneOf(k, {TokenKind::Dotted, TokenKind::Space, TokenKind::Linkage}); };
  if (!isDeclaration && isDotted(kind) && isDotted(last)) // `ld .global.b32`
    return Gap::AsWritten;
  if (isLabel && last == TokenKind::Colon)
    return Gap::Blank;
  if (isGuarded && tokens == opcode && kind == TokenKind::Id) // `@p%1 ret`: one name, misspelt
    return Gap::AsWritten;
  const bool isLiteral = oneOf(kind, {TokenKind::Integer, TokenKind::Float, TokenKind::WarpSize});
  const bool isAfterCast = last == TokenKind::RightParen && isLiteral;
  const bool isAfterGreater = last == TokenKind::Greater && !isDeclaration;
  return isAfterOperator() || isAfterCast || isAfterGreater ? Gap::AsWritten : Gap::Blank;
}

} // namespace ptxray
