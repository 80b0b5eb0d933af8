#pragma once
// The gaps between the tokens of a statement.
#include "Format/Statements.h"

namespace ptxray {

enum class Gap : uint8_t {
  None,
  Blank,
  AsWritten, // around a sign or an operator: none or one space, as written
  Line,      // in an initialiser, where the line may be split
};

/// Visits the tokens of one statement.
class Spacing {
public:
  explicit Spacing(const TextStatement &statement);
  /// Returns the gap before `token`, and advances to it.
  Gap before(const Word &token);
  /// Returns the number of open braces in an initialiser.
  uint32_t braces() const { return depth; }
  bool isInInitialiser() const { return sawEqual && isDeclaration; }

private:
  Gap gapBefore(TokenKind kind) const;
  Gap beforeParen() const;
  Gap beforeBracket() const;
  Gap beforeOperator() const;
  Gap beforeOther(TokenKind kind) const;
  bool isAfterOpening() const;
  bool isAfterOperator() const;

  bool isLabel = false, isDeclaration = false, isGuarded = false;
  bool sawEqual = false, isInAngles = false, isPair = false, isInAttribute = false;
  uint32_t depth = 0;
  uint32_t tokens = 0, opcode = 0;
  TokenKind last = TokenKind::EndOfFile;
};

} // namespace ptxray
