#pragma once
// The branches of `if` and `else` around a statement. Two statements in different branches of one `if` are never
// executed after each other.
//   if constexpr (N == 1) { asm("... }"); }      choice 1, arm 0
//   else                  { asm("... }"); }      choice 1, arm 1
#include "Inline/Statement.h"
#include <optional>

namespace ptxray {

/// Follows the branches through the tokens of a source. `depth` is the number of scopes that are open.
class Arms {
public:
  uint32_t newChoice() { return ++choices; }
  llvm::ArrayRef<InlineBranch> around() const { return branches; }

  /// Begins a branch with the next token: the condition of an `if`, or an `else`, is over.
  void begin(bool isElse);
  /// Reads a token that opens no scope.
  void see(bool isElse, size_t depth);
  /// Opens a scope; `depth` scopes are around it.
  void open(size_t depth);
  /// Closes a scope; `depth` scopes are left.
  void close(size_t depth, bool isElseNext);
  /// Ends a statement at its `;`.
  void endStatement(size_t depth);
  void clear();

private:
  struct Arm {
    size_t depth;  // number of the scopes around the branch
    bool isSingle; // whether the branch is one statement without braces
  };
  void enter(size_t depth, bool isSingle);
  void leave();

  std::vector<Arm> arms;
  std::vector<InlineBranch> branches; // one for each arm
  std::optional<InlineBranch> pending, ended;
  uint32_t choices = 0;
};

} // namespace ptxray
