#pragma once
// Splits C++ into tokens, to the extent necessary to find asm statements and macros: string literals, names and
// parentheses.
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
  Directive, // begins at `#`, ends with the directive's last line
  Plain,     // contents of a string that a macro produced, without quotes and escapes
};

struct CppToken {
  CppKind kind = CppKind::Sign;
  bool isExact = true;      // the source contains `text` at `place`
  bool hasSpace = false;    // preceded by blanks
  bool isUncertain = false; // produced by a macro with several definitions
  llvm::StringRef text;
  Range place;

  bool is(llvm::StringRef other) const { return kind <= CppKind::Sign && text == other; }
  /// Returns whether the token is this word or sign. Faster than a comparison with a StringRef.
  template <size_t N> bool is(const char (&other)[N]) const {
    if (kind > CppKind::Sign || text.size() != N - 1)
      return false;
    for (size_t i = 0; i < N - 1; ++i)
      if (text[i] != other[i])
        return false;
    return true;
  }
};

/// Returns all tokens of a text. Appends comments that begin with `ptxray:` to `remarks`, unless it is null.
std::vector<CppToken> readCppTokens(llvm::StringRef text, uint32_t offset = 0, std::vector<Range> *remarks = nullptr);

/// Returns the name in `#include "x.h"`; for `#include <x.h>`, including the angle brackets. Empty if the name is a
/// macro.
llvm::StringRef includedName(llvm::ArrayRef<CppToken> words);

} // namespace ptxray
