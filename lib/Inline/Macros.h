#pragma once
// Records the macros of a C++ source, and expands them.
#include "Inline/CppTokens.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include <deque>
#include <string>

namespace ptxray {

struct Macro {
  llvm::StringRef name;
  Range place; // location of the name in the source
  bool isFunction = false, isVariadic = false;
  bool isForeign = false;   // defined in another file
  bool isUncertain = false; // has several different definitions
  bool holdsAsm = false;    // expands to an asm statement
  bool isUsed = false;
  std::vector<llvm::StringRef> parameters;
  std::vector<CppToken> body;
};

bool isAsmKeyword(llvm::StringRef name);

class Macros {
public:
  /// Reads a `#define` or `#undef`. Ignores other directives.
  void read(llvm::ArrayRef<CppToken> directive, bool isForeign);
  Macro *find(llvm::StringRef name);
  /// Returns the number of tokens that a use of the macro takes at the beginning of `tokens`; 0 if it is not used
  /// there.
  size_t useAt(const Macro &macro, llvm::ArrayRef<CppToken> tokens) const;
  /// Expands the macros in `tokens`. Returns false if the expansion becomes too large.
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
  std::vector<llvm::StringRef> active; // macros that are being expanded
  std::deque<std::string> made;        // texts of tokens that appear in no source
  size_t budget = 0,
         whole = 4'000'000; // remaining number of tokens that expansions may produce: for one use, and for the file
};

} // namespace ptxray
