#pragma once
// A text as words, which the formatter keeps, and white space, which it replaces. Words are the scanner's tokens, and
// the comments and line markers that the scanner skips.
#include "Parse/Scanner.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace ptxray {

inline bool oneOf(TokenKind kind, std::initializer_list<TokenKind> kinds) { return llvm::is_contained(kinds, kind); }

/// The kinds of words that are not tokens.
enum class Aside : uint8_t { None, LineComment, BlockComment, LineMarker };

struct Word {
  TokenKind kind = TokenKind::EndOfFile;
  Aside aside = Aside::None;
  uint32_t begin = 0, end = 0;
  uint32_t newlines = 0; // newlines before this word
  bool isToken(TokenKind which) const { return aside == Aside::None && kind == which; }
  uint32_t size() const { return end - begin; }
};

class WordReader {
public:
  /// Reads `text`. If `isFaulty` is set, quotes and `#` end at the end of the line, as the parser treats them in a
  /// faulty text.
  WordReader(llvm::StringRef text, bool isFaulty);

  /// Returns the next word without consuming it. At the end of the text, always returns EndOfFile.
  const Word &peek() {
    if (first == ahead.size()) [[unlikely]]
      read();
    return ahead[first];
  }
  /// Returns the next word that is a token, without consuming it.
  const Word &peekToken() {
    const Word &word = peek();
    return word.aside == Aside::None ? word : peekBeyondAsides();
  }
  Word take();

private:
  const Word &peekBeyondAsides();
  void read();
  void readToken(Token &token);
  uint32_t readAsides(uint32_t from, uint32_t to);

  Interner names, spellings;
  Scanner scanner{names, spellings};
  llvm::StringRef text;
  bool isFaulty;
  uint32_t at = 0;                  // end of the last word
  llvm::SmallVector<Word, 8> ahead; // words that were read; those from `first` are not consumed yet
  size_t first = 0;
};

/// Returns the offset of the first word, after a byte order mark.
uint32_t beginOfWords(llvm::StringRef text);

} // namespace ptxray
