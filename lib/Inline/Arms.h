#pragma once
// Finds the branches of `if` and `else` around a statement. Two statements in different branches of one `if` are never
// executed one after the other.
//   if constexpr (N == 1) { asm("... }"); }      choice 1, arm 0
//   else                  { asm("... }"); }      choice 1, arm 1
#include "Inline/Statement.h"
#include <optional>

namespace ptxray {

/// Tracks the branches while reading the tokens of a source. `depth` is the number of open scopes.
class Arms {
public:
  uint32_t newChoice() { return ++choices; }
  llvm::ArrayRef<InlineBranch> around() const { return branches; }

  /// Begins a branch with the next token, after the condition of an `if` or after an `else`.
  void begin(bool isElse);
  /// Handles a token that opens no scope.
  void see(bool isElse, size_t depth);
  /// Handles the opening of a scope inside `depth` scopes.
  void open(size_t depth);
  /// Handles the end of a scope; `depth` scopes remain.
  void close(size_t depth, bool isElseNext);
  /// Handles the `;` that ends a statement.
  void endStatement(size_t depth);
  void clear();

private:
  struct Arm {
    size_t depth;  // number of scopes around the branch
    bool isSingle; // the branch is one statement without braces
  };
  void enter(size_t depth, bool isSingle);
  void leave();

  std::vector<Arm> arms;
  std::vector<InlineBranch> branches; // one per arm
  std::optional<InlineBranch> pending, ended;
  uint32_t choices = 0;
};

} // namespace ptxray
