#pragma once
// Tokenizes C++ as far as necessary to find asm statements and macros: string literals, names and parentheses.
#include "Source/Range.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <vector>

namespace ptxray {

enum class CppKind : uint8_t {
  Name,
  Number,
  String, // with prefix and quotes
  Character,
  Sign,      // one character, `##` or `...`
  Directive, // from `#` to the end of its last line
  Plain,     // the contents of a string made by a macro: no quotes, no escapes
};

struct CppToken {
  CppKind kind = CppKind::Sign;
  bool isExact = true;      // `text` is at `place` of the source
  bool hasSpace = false;    // blanks before it
  bool isUncertain = false; // of a macro with several definitions
  llvm::StringRef text;
  Range place;

  bool is(llvm::StringRef other) const { return kind <= CppKind::Sign && text == other; }
  /// The same for a literal, without a call.
  template <size_t N> bool is(const char (&other)[N]) const {
    if (kind > CppKind::Sign || text.size() != N - 1)
      return false;
    for (size_t i = 0; i < N - 1; ++i)
      if (text[i] != other[i])
        return false;
    return true;
  }
};

/// Returns all tokens of a text; comments that begin with `ptxray:` are appended to the list, if there is one.
std::vector<CppToken> readCppTokens(llvm::StringRef text, uint32_t offset = 0, std::vector<Range> *remarks = nullptr);

/// Returns the name in `#include "x.h"`; of `#include <x.h>` with its angle brackets. Empty if a macro has it.
llvm::StringRef includedName(llvm::ArrayRef<CppToken> words);

} // namespace ptxray
