#include "Parse/Scanner.h"
#include "Parse/Ast.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <charconv>
#include <cmath>

namespace ptxray {

static constexpr Keyword keywordTable[] = {
    {".version", TokenKind::Version},
    {".target", TokenKind::Target},
    {".address_size", TokenKind::AddressSize},
    {".file", TokenKind::File},
    {".loc", TokenKind::Loc},
    {".loc_intermediate", TokenKind::LocIntermediate},
    {".section", TokenKind::Section},
    {".metadata_section", TokenKind::MetadataSection},
    {".nv_intermediate_source_section", TokenKind::SourceSection},
    {".source_begin", TokenKind::RawSource},
    {".pragma", TokenKind::Pragma},
    {".alias", TokenKind::Alias},
    {".extern", TokenKind::Linkage},
    {".visible", TokenKind::Linkage},
    {".weak", TokenKind::Linkage},
    {".common", TokenKind::Linkage},
    {".reg", TokenKind::Space},
    {".local", TokenKind::Space},
    {".shared", TokenKind::Space},
    {".const", TokenKind::Space},
    {".global", TokenKind::Space},
    {".param", TokenKind::Space},
    {".tex", TokenKind::Space},
    {".align", TokenKind::Align},
    {".ptr", TokenKind::Ptr},
    {".entry", TokenKind::Entry},
    {".func", TokenKind::Func},
    {".attribute", TokenKind::Attribute},
    {".maxntid", TokenKind::Dimensions},
    {".reqntid", TokenKind::Dimensions},
    {".reqnctapercluster", TokenKind::Dimensions},
    {".maxclusterrank", TokenKind::Tuning},
    {".minnctapersm", TokenKind::Tuning},
    {".maxnctapersm", TokenKind::Tuning},
    {".maxnreg", TokenKind::Tuning},
    {".minperctamemory", TokenKind::Tuning},
    {".language", TokenKind::Language},
    {".abi_preserve", TokenKind::Abi},
    {".abi_preserve_control", TokenKind::Abi},
    {".local_maxnreg", TokenKind::LocalMaxnreg},
    {".noreturn", TokenKind::NoReturn},
    {".explicitcluster", TokenKind::ClusterFlag},
    {".blocksareclusters", TokenKind::ClusterFlag},
    {".branchtargets", TokenKind::Targets},
    {".calltargets", TokenKind::Targets},
    {".callprototype", TokenKind::Prototype},
};
static_assert(std::size(keywordTable) == keywordCount);

llvm::ArrayRef<Keyword> keywords() { return keywordTable; }

const char *scan::skipBank(const char *dot, const char *p) {
  const char *e = p + 1;
  while (isDigit(*e))
    ++e;
  const bool bank = *e == ']' && e > p + 1 && llvm::StringRef(dot, p - dot) == ".const";
  return bank ? e + 1 : p;
}

scan::Words scan::skipManyWords(const char *p) {
  const char *e = skipWord(p);
  const bool areSeveral = *e == '.' && isWord(e[1]);
  while (*e == '.' && isWord(e[1]))
    e = skipWord(e + 1);
  return {e, areSeveral};
}

const char *scan::skipColons(const char *p, const char *end) {
  const char *e = p + llvm::StringRef(p, end - p).rfind('.');
  for (const char *behind; *e == '.' && (behind = skipDotted(e)) != e;)
    e = behind;
  return e;
}

// Returns whether `call` is the instruction. It may also be a name, such as a kernel's. The instruction is followed by
// a name or a list. Only in the head of a function is the name also followed by a list: `.func (...) call (...)`.
bool scan::isCall(const char *text, const char *p, const char *e, const char *end) {
  const char *next = std::find_if(e, end, [](char c) { return tables.classOf[uint8_t(c)] != Blank; });
  if (next == end)
    return true;
  const Class c = tables.classOf[uint8_t(*next)];
  if (*next != '(')
    return c == Letter || c == Prefix || c == Slash;
  while (p > text && tables.classOf[uint8_t(p[-1])] == Blank)
    --p;
  if (p > text && p[-1] == ')')
    return false;
  while (p > text && tables.word[uint8_t(p[-1])])
    --p;
  return p == text || p[-1] != '.';
}

static bool isAfterBlanks(llvm::StringRef before) {
  before = before.rtrim(" \t\r\f\v");
  return before.empty() || before.ends_with("\n");
}

bool startsLine(llvm::StringRef text, uint32_t offset) {
  constexpr size_t most = 1000; // maximum number of comments to skip, so that a text on one line is not read repeatedly
  if (isAfterBlanks(text.take_front(offset)))
    return true;
  const llvm::StringRef before = text.take_front(offset).rtrim(" \t\r\f\v");
  const llvm::StringRef seen = before.take_back(most);
  if (!before.ends_with("*/") || (seen.size() == most && !seen.contains('\n')))
    return false;
  llvm::StringRef line = seen.drop_front(seen.rfind('\n') + 1).ltrim();
  while (line.consume_front("/*")) {
    const size_t closed = line.find("*/");
    if (closed == llvm::StringRef::npos)
      return false;
    line = line.drop_front(closed + 2).ltrim();
  }
  return line.empty();
}

void Scanner::start(llvm::StringRef text, llvm::ArrayRef<std::string> constants) {
  base = at = text.begin();
  end = text.rtrim('\0').end(); // the parser reports terminators of C strings
  braces = groups = 0;
  markersBeginLines = false;
  remarks.clear();
  static constexpr char callName[24] = "call", warpSizeName[24] = "WARP_SZ", sinkName[24] = "_";
  for (const auto &[name, length] : {std::pair(callName, 4u), std::pair(warpSizeName, 7u), std::pair(sinkName, 1u)})
    names.intern(name, length);
  for (const std::string &name : constants)
    names.internCopy(name);
  unusualNames = constants.empty() ? NameSink : knownNames + static_cast<uint32_t>(constants.size());
  if (spellings.size()) // spellings of the previous text
    return;
  for (const Keyword &keyword : keywordTable)
    spellings.internCopy(keyword.text);
}

void Scanner::unusualName(Token &token) {
  if (token.id == NameSink)
    return;
  if (token.id == NameCall) {
    if (scan::isCall(base, base + token.begin, base + token.end, end))
      token.kind = TokenKind::Call;
    return;
  }
  const bool isWarpSize = token.id == NameWarpSize;
  token.kind = TokenKind::WarpSize;
  token.flags = isWarpSize ? WarpSize : AnyValue;
  token.value = isWarpSize ? 32 : 0;
}

void Scanner::enterBody(Token &ahead) {
  braces = 1;
  if (ahead.kind == TokenKind::LeftBrace)
    braces = 2;
  if (ahead.kind == TokenKind::RightBrace) {
    braces = 0;
    ahead.kind = TokenKind::EndOfBody;
  }
}

void Scanner::stray(Token &token, const char *p) {
  const char *e = p + 1;
  bool nonAscii = uint8_t(*p) >= 0x80;
  // One report covers a sequence of bytes, so that a multi-byte character is reported once.
  while (nonAscii && e < end && uint8_t(*e) >= 0x80)
    ++e;
  setBad(token, nonAscii ? BadToken::NonAscii : BadToken::StrayCharacter, p, e);
}

void Scanner::noteRemark(const char *begin, const char *end) {
  const llvm::StringRef comment(begin, end - begin);
  if (!comment.drop_front(2).ltrim(" \t").starts_with("ptxray:"))
    return;
  const Range range{uint32_t(begin - base), uint32_t(comment.rtrim('\r').end() - base)};
  if (remarks.empty() || remarks.back().begin < range.begin) // a comment that is read twice counts once
    remarks.push_back(range);
}

const char *Scanner::skipComment(Token &token, const char *p) {
  if (p[1] == '/') {
    const char *line = static_cast<const char *>(std::memchr(p, '\n', end - p));
    line = line ? line : end;
    noteRemark(p, line);
    return line;
  }
  size_t close = llvm::StringRef(p + 2, end - p - 2).find("*/");
  if (close != llvm::StringRef::npos) {
    noteRemark(p, p + close + 4);
    return p + close + 4;
  }
  setBad(token, BadToken::UnclosedComment, p, p + 2);
  at = end;
  return nullptr;
}

// Skips `# 100 "x.cu"`, which a C preprocessor writes.
const char *Scanner::skipLineMarker(const char *p) const {
  if (markersBeginLines && !isAfterBlanks({base, size_t(p - base)}))
    return p;
  auto blanks = [](const char *q) {
    while (*q == ' ' || *q == '\t')
      ++q;
    return q;
  };
  const char *q = blanks(p + 1);
  if (llvm::StringRef(q, end - q).starts_with("line"))
    q = blanks(q + 4);
  if (!scan::isDigit(*q))
    return p;
  while (scan::isDigit(*q))
    ++q;
  q = blanks(q);
  if (*q != '"')
    return p;
  for (++q; *q != '"'; ++q)
    if (q >= end || *q == '\n')
      return p;
  for (++q; scan::isDigit(*q) || *q == ' ' || *q == '\t'; ++q)
    ;
  return q;
}

// Skips the text between `.source_begin` and `.source_end`, which is in another language.
void Scanner::rawSource(Token &token, const char *p) {
  llvm::StringRef rest(p, end - p);
  size_t close = rest.find(".source_end");
  if (close == llvm::StringRef::npos) {
    setBad(token, BadToken::UnclosedSource, p, token.end + base);
    at = end;
    return;
  }
  set(token, TokenKind::RawSource, p, p + close + llvm::StringRef(".source_end").size());
}

void Scanner::decimalFloat(Token &token, const char *p) {
  double real = 0;
  auto result = std::from_chars(p, end, real);
  set(token, TokenKind::Float, p, result.ptr);
  token.flags = 0;
  token.value = std::bit_cast<uint64_t>(real);
  if (result.ec == std::errc::result_out_of_range || std::fpclassify(real) == FP_SUBNORMAL)
    return setBad(token, BadToken::ConstantOverflow, p, result.ptr);
  if (scan::isWord(*result.ptr))
    setBad(token, BadToken::MalformedNumber, p, scan::skipWord(result.ptr));
}

/// Returns the end of the decimal number at `p`, if it does not exceed the limit; otherwise `p`.
static const char *plainNumber(const char *p, uint64_t limit, uint64_t &value) {
  constexpr int mostDigits = 9;
  const char *e = p;
  for (value = 0; scan::isDigit(*e) && e - p < mostDigits; ++e)
    value = value * 10 + unsigned(*e - '0');
  const bool isOctal = *p == '0' && e > p + 1;
  return isOctal || scan::isWord(*e) || *e == '.' || value > limit ? p : e;
}

uint32_t Scanner::skipNumbers(Token &number, uint64_t limit) {
  const char *begin = nullptr, *after = at;
  uint32_t passed = 0;
  for (uint64_t value; *after == ','; ++passed) {
    const char *const next = after + (after[1] == ' ' ? 2 : 1), *e = plainNumber(next, limit, value);
    if (e == next)
      break;
    begin = next;
    after = e;
    number.value = value;
  }
  if (passed) {
    set(number, TokenKind::Integer, begin, after);
    number.flags = 0;
  }
  return passed;
}

std::optional<uint32_t> Scanner::skipNumberLines(Token &number, llvm::StringRef word, uint64_t limit) {
  const auto skipBlanks = [](const char *p) {
    while (*p == ' ' || *p == '\t')
      ++p;
    return p;
  };
  std::optional<uint32_t> begin;
  for (uint64_t value;;) {
    const char *line = skipBlanks(at);
    if (line[0] == '/' && line[1] == '/')
      line = skipComment(number, line);
    if (*line != '\n')
      return begin;
    line = skipBlanks(line + 1);
    if (std::memcmp(line, word.data(), word.size()) != 0)
      return begin;
    const char *p = skipBlanks(line + word.size()), *e = plainNumber(p, limit, value);
    if (p == line + word.size() || e == p || *skipBlanks(e) == ',')
      return begin;
    set(number, TokenKind::Integer, p, e);
    number.value = value;
    begin = static_cast<uint32_t>(line - base);
  }
}

void Scanner::number(Token &token, const char *p) {
  uint64_t value = 0;
  bool overflows = false;
  const char *q = p;
  char kind = *p == '0' ? p[1] | 32 : 0;
  auto digits = [&](unsigned radix, const char *from) {
    const char *e = from;
    for (unsigned digit; (digit = llvm::hexDigitValue(*e)) < radix; ++e) {
      overflows |= value >> 63; // ptxas wraps numbers that are only slightly too large
      value = value * radix + digit;
    }
    q = e;
    return size_t(e - from);
  };
  token.flags = 0;
  bool good = true;
  if (kind == 'x') {
    good = digits(16, p + 2) != 0;
  } else if (kind == 'b') {
    good = digits(2, p + 2) != 0;
  } else if (kind == 'f' || kind == 'd') {
    bool wide = kind == 'd';
    good = digits(16, p + 2) == (wide ? 16u : 8u) && !scan::isWord(*q);
    if (!good)
      return setBad(token, BadToken::MalformedNumber, p, scan::skipWord(p));
    set(token, TokenKind::Float, p, q);
    token.flags = wide ? HexFloat | WideFloat : HexFloat;
    token.value = value;
    return;
  } else {
    digits(10, p);
    bool exponent = (*q | 32) == 'e' && (scan::isDigit(q[1]) || q[1] == '+' || q[1] == '-');
    if (*q == '.' || exponent)
      return decimalFloat(token, p);
    if (*p == '0') {
      const char *behind = q;
      value = 0;
      overflows = false;
      digits(8, p);
      good = q == behind;
      q = behind;
    }
  }
  if (*q == 'U') {
    token.flags = UnsignedSuffix;
    ++q;
  }
  if (!good || scan::isWord(*q))
    return setBad(token, BadToken::MalformedNumber, p, scan::skipWord(q));
  if (overflows)
    return setBad(token, BadToken::ConstantOverflow, p, q);
  set(token, TokenKind::Integer, p, q);
  token.value = value;
}

} // namespace ptxray
