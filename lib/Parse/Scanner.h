#pragma once
// Turns text into tokens, by hand: an ANTLR lexer is fifteen times slower. grammar/PtxLexer.g4 defines the same tokens,
// and tests compare the two. Identifiers and words are interned as they are read.
#include "Parse/Interner.h"
#include "Source/Range.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace ptxray {

enum class TokenKind : int8_t {
  EndOfFile = -1, // as ANTLR calls it
  Invalid,
#define TOKEN(name) name,
#include "Parse/Tokens.def"
};

enum class BadToken : uint8_t {
  StrayCharacter,
  NonAscii,
  UnclosedComment,
  UnclosedString,
  UnclosedSource,
  MalformedNumber,
  ConstantOverflow,
};

struct Token {
  TokenKind kind = TokenKind::EndOfFile;
  uint8_t flags = 0; // of a number: OperandFlag
  BadToken bad = BadToken::StrayCharacter;
  uint32_t begin = 0;
  uint32_t end = 0;
  uint32_t id = 0;    // Id: NameId; Opcode and dotted words: SpellingId
  uint64_t value = 0; // of a number; of an operator its characters, the first in the low byte
  Range range() const { return {begin, end}; }
};

/// Words that are interned first, so that their numbers distinguish them from others.
enum KnownName : uint32_t { NameCall, NameWarpSize, NameSink, knownNames };
struct Keyword {
  llvm::StringLiteral text;
  TokenKind kind;
};
llvm::ArrayRef<Keyword> keywords(); // keyword i has the SpellingId i
inline constexpr uint32_t keywordCount = 46;

/// Returns whether only blanks and comments precede the offset on its line.
bool startsLine(llvm::StringRef text, uint32_t offset);

namespace scan {

enum Class : uint8_t {
  Other,
  Blank,
  Letter,
  Prefix,
  Digit,
  Dot,
  Slash,
  Quote,
  Hash,
  AtSign,
  Punctuation,
  Operator, // one character, or two with the same or `=` after it
  OpenBrace,
  CloseBrace,
  CloseParen,
};

struct Tables {
  std::array<Class, 256> classOf{};
  std::array<TokenKind, 256> punctuation{};
  std::array<bool, 256> word{};
  constexpr Tables() {
    for (int c = 'a'; c <= 'z'; ++c)
      classOf[c] = classOf[c - 32] = Letter, word[c] = word[c - 32] = true;
    for (int c = '0'; c <= '9'; ++c)
      classOf[c] = Digit, word[c] = true;
    word['_'] = word['$'] = true;
    for (char c : {'_', '$', '%'})
      classOf[c] = Prefix;
    for (char c : {' ', '\t', '\n', '\r', '\f', '\v'})
      classOf[c] = Blank;
    classOf['.'] = Dot, classOf['/'] = Slash, classOf['"'] = Quote, classOf['#'] = Hash;
    classOf['@'] = AtSign, classOf['{'] = OpenBrace, classOf['}'] = CloseBrace;
    classOf[')'] = CloseParen;
    struct {
      char c;
      TokenKind kind;
    } singles[] = {{';', TokenKind::Semicolon},   {',', TokenKind::Comma},        {':', TokenKind::Colon},
                   {'[', TokenKind::LeftBracket}, {']', TokenKind::RightBracket}, {'(', TokenKind::LeftParen},
                   {'+', TokenKind::Plus},        {'-', TokenKind::Minus},        {'*', TokenKind::Infix},
                   {'^', TokenKind::Infix},       {'~', TokenKind::Tilde},        {'?', TokenKind::Question}};
    for (auto &single : singles)
      classOf[single.c] = Punctuation, punctuation[single.c] = single.kind;
    struct {
      char c;
      TokenKind kind;
    } operators[] = {{'<', TokenKind::Less}, {'>', TokenKind::Greater}, {'=', TokenKind::Equal},
                     {'!', TokenKind::Not},  {'|', TokenKind::Bar},     {'&', TokenKind::Infix}};
    for (auto &op : operators)
      classOf[op.c] = Operator, punctuation[op.c] = op.kind;
  }
};
inline constexpr Tables tables;

inline bool isWord(char c) { return tables.word[uint8_t(c)]; }
inline bool isDigit(char c) { return uint8_t(c - '0') < 10; }

} // namespace scan

class Scanner {
public:
  Scanner(Interner &names, Interner &spellings) : names(names), spellings(spellings) {}

  /// Begins a text, which must have 16 readable bytes after its end. The names in `constants` stand for numbers of any
  /// value.
  void start(llvm::StringRef text, llvm::ArrayRef<std::string> constants = {});
  void moveTo(uint32_t offset) { at = base + offset; }
  llvm::StringRef text(Range range) const { return {base + range.begin, range.size()}; }

  /// Called after the brace that opens a function's body: braces are counted from now on, and the one that closes the
  /// body becomes an EndOfBody. `ahead` was read before the call.
  void enterBody(Token &ahead);
  /// Called after the parenthesis that opens a group of a constant expression: the next closing one
  /// becomes a CloseGroup.
  void openGroup() { ++groups; }

  void next(Token &token);
  /// Reads the next token if it is a sign that directly follows the one just read, as most signs do.
  bool nextSign(Token &token) {
    if (scan::tables.classOf[uint8_t(*at)] != scan::Punctuation)
      return false;
    setOperator(token, scan::tables.punctuation[uint8_t(*at)], at, 1);
    return true;
  }
  /// Returns the character that directly follows the token just read.
  char behind() const { return *at; }
  /// Called after a decimal number of a list `1,2,3` or `1, 2, 3`: advances to the last such number that does not
  /// exceed the limit, and returns how many were skipped.
  uint32_t skipNumbers(Token &number, uint64_t limit);
  /// Called after `.b8 1`, with the word `.b8`: advances to the last such line with one decimal number that does not
  /// exceed the limit. Returns where its word begins.
  std::optional<uint32_t> skipNumberLines(Token &number, llvm::StringRef word, uint64_t limit);
  uint32_t internWord(llvm::StringRef text) { return spellings.internCopy(text); }
  uint32_t internName(llvm::StringRef text) { return names.internCopy(text); }

  uint32_t braces = 0;            // open ones of the body at hand; 0 outside
  uint32_t groups = 0;            // open ones of the constant expression at hand
  bool markersBeginLines = false; // ptxas accepts `# 1 "x.cu"` anywhere; in a faulty text it is a stray character there
  std::vector<Range> remarks;     // the comments that begin with `ptxray:`

private:
  void set(Token &token, TokenKind kind, const char *begin, const char *end) {
    token.kind = kind;
    token.begin = begin - base;
    token.end = end - base;
    at = end;
  }
  void setOperator(Token &token, TokenKind kind, const char *p, unsigned length) {
    set(token, kind, p, p + length);
    token.value = length == 1 ? uint8_t(p[0]) : uint8_t(p[0]) | uint8_t(p[1]) << 8;
  }
  void setBad(Token &token, BadToken bad, const char *begin, const char *end) {
    set(token, TokenKind::Bad, begin, end);
    token.bad = bad;
  }
  void word(Token &token, const char *p);
  void dotted(Token &token, const char *p);
  void digits(Token &token, const char *p);
  void symbol(Token &token, const char *p);
  void closeBrace(Token &token, const char *p);
  void string(Token &token, const char *p);
  void atSign(Token &token, const char *p);
  void number(Token &token, const char *p);
  void decimalFloat(Token &token, const char *p);
  void rawSource(Token &token, const char *p);
  void stray(Token &token, const char *p);
  const char *skipComment(Token &token, const char *p);
  void noteRemark(const char *begin, const char *end);
  const char *skipLineMarker(const char *p) const;
  void unusualName(Token &token);

  uint32_t unusualNames = NameSink; // all below are more than names, but for NameSink
  const char *base = nullptr, *at = nullptr, *end = nullptr;
  Interner &names, &spellings;
};

namespace scan {

#ifdef __SSE2__
/// Returns a bit for each of sixteen bytes that is in [A-Za-z0-9_$].
inline __attribute__((always_inline)) unsigned wordsAmong(__m128i bytes) {
  // The bytes between these two are moved to the end of the signed numbers.
  auto within = [](__m128i bytes, char low, char span) {
    const __m128i moved = _mm_add_epi8(bytes, _mm_set1_epi8(static_cast<char>(127 - span - low)));
    return _mm_cmpgt_epi8(moved, _mm_set1_epi8(static_cast<char>(126 - span)));
  };
  __m128i lower = _mm_or_si128(bytes, _mm_set1_epi8(0x20));
  __m128i word = _mm_or_si128(within(lower, 'a', 25), within(bytes, '0', 9));
  word = _mm_or_si128(word, _mm_cmpeq_epi8(bytes, _mm_set1_epi8('_')));
  word = _mm_or_si128(word, _mm_cmpeq_epi8(bytes, _mm_set1_epi8('$')));
  return static_cast<unsigned>(_mm_movemask_epi8(word));
}
inline __attribute__((always_inline)) __m128i sixteenAt(const char *p) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i *>(p));
}
#endif

/// Returns the first byte from p on that is not in [A-Za-z0-9_$], sixteen at a time if the processor can.
inline __attribute__((always_inline)) const char *skipWord(const char *p) {
#ifdef __SSE2__
  for (;; p += 16)
    if (const unsigned others = ~wordsAmong(sixteenAt(p)) & 0xFFFF)
      return p + std::countr_zero(others);
#else
  while (isWord(*p))
    ++p;
  return p;
#endif
}

struct Words {
  const char *end;
  bool areSeveral;
};
/// The end of words that are joined by dots, of which the first byte is at p or before it.
Words skipManyWords(const char *p);
inline __attribute__((always_inline)) Words skipWords(const char *p) {
#ifdef __SSE2__
  const __m128i bytes = sixteenAt(p);
  const unsigned words = wordsAmong(bytes), dots = _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('.')));
  const unsigned joints = dots & words >> 1,
                 ends = ~(words | joints) & 0x7FFF; // whether the last dot is one is not seen
  if (ends) [[likely]]
    return {p + std::countr_zero(ends), (joints & ~ends & (ends - 1)) != 0};
#endif
  return skipManyWords(p);
}

/// The end of `[2]` in `.const[2]`, with p at the bracket after the word that begins with the dot; p itself for
/// anything else.
const char *skipBank(const char *dot, const char *p);
/// Returns whether the bare word `call` at [p, e) is the instruction.
bool isCall(const char *text, const char *p, const char *e, const char *end);

/// The end of `.word::word`, with p at the dot; p itself if no word follows. `.sp::2:4` has a single colon.
inline __attribute__((always_inline)) const char *skipDotted(const char *p) {
  if (!isWord(p[1]))
    return p;
  const char *dot = p;
  p = skipWord(p + 1);
  if (*p == '[') [[unlikely]]
    return skipBank(dot, p);
  while (p[0] == ':' && p[1] == ':' && isWord(p[2])) {
    p = skipWord(p + 2);
    if (p[0] == ':' && isWord(p[1])) // a slip such as `.collector::a:use` is one word too
      p = skipWord(p + 1);
  }
  return p;
}

/// The end of the dotted words that begin at p, with a colon or a bracket after the last word that skipWords finds.
const char *skipColons(const char *p, const char *end);

} // namespace scan

inline __attribute__((always_inline)) void Scanner::dotted(Token &token, const char *p) {
  using namespace scan;
  if (isDigit(p[1])) {
    const char *e = p + 1;
    while (isDigit(*e))
      ++e;
    if (!isWord(*e) || ((*e | 32) == 'e' && (isDigit(e[1]) || e[1] == '-' || e[1] == '+')))
      return decimalFloat(token, p);
  }
  const char *e = skipDotted(p);
  if (e == p)
    return stray(token, p);
  set(token, TokenKind::Dotted, p, e);
  token.id = spellings.intern(p, e - p);
  if (token.id < keywordCount) [[unlikely]] {
    token.kind = keywords()[token.id].kind;
    if (token.kind == TokenKind::RawSource)
      rawSource(token, p);
  } else if (e[-1] == ']') {
    token.kind = TokenKind::Space;
  }
}

/// Reads a number, nearly always of decimal digits alone.
inline __attribute__((always_inline)) void Scanner::digits(Token &token, const char *p) {
  using namespace scan;
  uint64_t value = 0;
  const char *e = p;
  for (unsigned digit; (digit = uint8_t(*e - '0')) < 10; ++e)
    value = value * 10 + digit;
  const bool isOctal = *p == '0' && e > p + 1;
  if (isWord(*e) || *e == '.' || e - p > 19 || isOctal) [[unlikely]]
    return number(token, p);
  set(token, TokenKind::Integer, p, e);
  token.flags = 0;
  token.value = value;
}

inline __attribute__((always_inline)) void Scanner::closeBrace(Token &token, const char *p) {
  const bool last = braces == 1;
  braces -= braces != 0;
  set(token, last ? TokenKind::EndOfBody : TokenKind::RightBrace, p, p + 1);
}

inline __attribute__((always_inline)) void Scanner::string(Token &token, const char *p) {
  const char *close = static_cast<const char *>(std::memchr(p + 1, '"', end - p - 1));
  if (!close)
    return setBad(token, BadToken::UnclosedString, p, p + 1);
  set(token, TokenKind::String, p, close + 1);
}

inline __attribute__((always_inline)) void Scanner::atSign(Token &token, const char *p) {
  if (!llvm::StringRef(p, end - p).starts_with("@@DWARF"))
    return set(token, TokenKind::At, p, p + 1);
  const char *line = static_cast<const char *>(std::memchr(p, '\n', end - p));
  set(token, TokenKind::Dwarf, p, line ? line : end);
}

/// Reads a symbol of one or two characters.
inline __attribute__((always_inline)) void Scanner::symbol(Token &token, const char *p) {
  const char c = *p;
  const bool twice = p[1] == c && c != '!' && c != '=';
  const bool isPair = twice || (p[1] == '=' && c != '|' && c != '&');
  if (isPair)
    return setOperator(token, TokenKind::Infix, p, 2);
  setOperator(token, scan::tables.punctuation[uint8_t(c)], p, 1);
}

/// Reads an identifier, with the dotted words that directly follow it.
inline __attribute__((always_inline)) void Scanner::word(Token &token, const char *p) {
  using namespace scan;
  auto [e, areSeveral] = skipWords(p + 1);
  if (areSeveral) {
    if (*e == ':' || *e == '[') [[unlikely]]
      e = skipColons(p, e);
    const bool isCall = std::memcmp(p, "call.", 5) == 0;
    set(token, isCall ? TokenKind::Call : TokenKind::Opcode, p, e);
    token.id = spellings.intern(p, e - p);
    return;
  }
  set(token, TokenKind::Id, p, e);
  token.id = names.internNumbered(p, e - p);
  if (token.id < unusualNames) [[unlikely]]
    unusualName(token);
}

inline __attribute__((always_inline)) void Scanner::next(Token &token) {
  using namespace scan;
  const char *p = at;
  for (;;) {
    while (tables.classOf[uint8_t(*p)] == Blank)
      ++p;
    const uint8_t c = *p;
    switch (tables.classOf[c]) {
    case Prefix:
      if (c != '_' && !isWord(p[1]))
        return c == '%' ? setOperator(token, TokenKind::Infix, p, 1) : stray(token, p);
      [[fallthrough]];
    case Letter: return word(token, p);
    case Dot: return dotted(token, p);
    case Digit: return digits(token, p);
    case Slash:
      if (p[1] != '/' && p[1] != '*')
        return setOperator(token, TokenKind::Infix, p, 1);
      p = skipComment(token, p);
      if (!p)
        return;
      continue;
    case Punctuation: return setOperator(token, tables.punctuation[c], p, 1);
    case OpenBrace: braces += braces != 0; return set(token, TokenKind::LeftBrace, p, p + 1);
    case CloseBrace: return closeBrace(token, p);
    case CloseParen: {
      const bool group = groups != 0;
      groups -= group;
      return set(token, group ? TokenKind::CloseGroup : TokenKind::RightParen, p, p + 1);
    }
    case Operator: return symbol(token, p);
    case Quote: return string(token, p);
    case Hash: {
      const char *behind = skipLineMarker(p);
      if (behind == p)
        return stray(token, p);
      p = behind;
      continue;
    }
    case AtSign: return atSign(token, p);
    default: return p >= end ? set(token, TokenKind::EndOfFile, end, end) : stray(token, p);
    }
  }
}

} // namespace ptxray
