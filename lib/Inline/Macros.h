#pragma once
// The macros of a C++ source, and their expansion.
#include "Inline/CppTokens.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include <deque>
#include <string>

namespace ptxray {

struct Macro {
  llvm::StringRef name;
  Range place; // of the name, in the source
  bool isFunction = false, isVariadic = false;
  bool isForeign = false;   // of another file
  bool isUncertain = false; // defined several times, in different ways
  bool holdsAsm = false;    // a use of it gives an asm statement
  bool isUsed = false;
  std::vector<llvm::StringRef> parameters;
  std::vector<CppToken> body;
};

bool isAsmKeyword(llvm::StringRef name);

class Macros {
public:
  /// Reads a `#define` or `#undef`; other directives are skipped.
  void read(llvm::ArrayRef<CppToken> directive, bool isForeign);
  Macro *find(llvm::StringRef name);
  /// Counts the tokens of the use of a macro that begins the list; 0 if it is not used there.
  size_t useAt(const Macro &macro, llvm::ArrayRef<CppToken> tokens) const;
  /// Returns false if the expansion becomes too large.
  bool expand(llvm::ArrayRef<CppToken> tokens, std::vector<CppToken> &out);
  bool expandsAny(llvm::ArrayRef<CppToken> tokens);
  llvm::StringMap<Macro> &all() { return macros; }

private:
  using Tokens = std::vector<CppToken>;
  bool expand(llvm::ArrayRef<CppToken> tokens, Tokens &out, unsigned depth);
  bool expandUse(Macro &macro, llvm::ArrayRef<CppToken> use, Tokens &out, unsigned depth);
  bool substitute(const Macro &macro, llvm::ArrayRef<Tokens> arguments, Range use, Tokens &out, unsigned depth);
  int parameterOf(const Macro &macro, llvm::StringRef name) const;
  CppToken stringOf(const Tokens &argument, Range use);
  bool spend(size_t tokens);

  llvm::StringMap<Macro> macros;
  std::vector<llvm::StringRef> active;  // macros whose expansion is at hand
  std::deque<std::string> made;         // texts of tokens that no source has
  size_t budget = 0, whole = 4'000'000; // tokens that may still be made: of one use, of the file
};

} // namespace ptxray
