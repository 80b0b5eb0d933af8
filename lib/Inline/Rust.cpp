// Reads inline assembly in Rust for nvptx64: `asm!("add.u32 {0}, {1}, {n};", out(reg32) x, in(reg32) y, n = const 4)`.
#include "Inline/Literals.h"
#include "Inline/Readers.h"
#include "Source/Narrow.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace ptxray {
namespace {

enum class RustKind : uint8_t { Word, String, RawString, Sign };

struct RustToken {
  RustKind kind;
  llvm::StringRef text; // for a string, the text between its quotes
  uint32_t begin = 0, end = 0;
  uint32_t content = 0; // offset of the content
  bool is(llvm::StringRef other) const { return (kind == RustKind::Word || kind == RustKind::Sign) && text == other; }
  bool isString() const { return kind == RustKind::String || kind == RustKind::RawString; }
};

using RustTokens = llvm::ArrayRef<RustToken>;

/// Splits a source into words, strings and signs.
class RustLexer {
public:
  RustLexer(llvm::StringRef text, std::vector<Range> &remarks) : text(text), remarks(remarks) {}
  std::vector<RustToken> read();

private:
  size_t afterComment(size_t i);
  size_t afterQuoted(size_t i) const;
  bool rawString(size_t &i);
  void add(RustKind kind, size_t begin, size_t end, llvm::StringRef what) {
    tokens.push_back(
        {kind, what, narrow<uint32_t>(begin), narrow<uint32_t>(end), narrow<uint32_t>(what.data() - text.data())});
  }

  const llvm::StringRef text;
  std::vector<Range> &remarks;
  std::vector<RustToken> tokens;
};

bool isRustWord(char c) { return llvm::isAlnum(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80; }

/// Returns the end of a comment. Comments nest.
size_t RustLexer::afterComment(size_t i) {
  if (text[i + 1] == '/') {
    const size_t end = std::min(text.find('\n', i), text.size());
    if (text.slice(i + 2, end).ltrim().starts_with("ptxray:"))
      remarks.push_back({narrow<uint32_t>(i), narrow<uint32_t>(i + text.slice(i, end).rtrim().size())});
    return end;
  }
  unsigned depth = 0;
  for (; i + 1 < text.size(); ++i) {
    const llvm::StringRef two = text.substr(i, 2);
    depth += two == "/*";
    if (two == "*/" && --depth == 0)
      return i + 2;
    i += two == "/*" || two == "*/";
  }
  return text.size();
}

/// Returns the end of the string or character literal at the quote. A lifetime such as `'a` has no second quote.
size_t RustLexer::afterQuoted(size_t i) const {
  const char quote = text[i];
  if (quote == '\'' && text.substr(i + 1, 1) != "\\" && text.substr(i + 2, 1) != "'")
    return i + 1;
  for (++i; i < text.size() && text[i] != quote; ++i)
    i += text[i] == '\\';
  return std::min(i + 1, text.size());
}

/// Reads `r"..."`, `r#"..."#` or `br"..."`.
bool RustLexer::rawString(size_t &i) {
  llvm::StringRef rest = text.substr(i);
  rest.consume_front("b");
  if (!rest.consume_front("r"))
    return false;
  const size_t marks = rest.find_first_not_of('#');
  if (marks == llvm::StringRef::npos || rest[marks] != '"')
    return false;
  const llvm::StringRef content = rest.drop_front(marks + 1);
  const size_t length = std::min(content.find("\"" + std::string(marks, '#')), content.size());
  const size_t end = std::min<size_t>(content.data() - text.data() + length + 1 + marks, text.size());
  add(RustKind::RawString, i, end, content.take_front(length));
  i = end;
  return true;
}

std::vector<RustToken> RustLexer::read() {
  for (size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (llvm::isSpace(c)) {
      ++i;
    } else if (c == '/' && i + 1 < text.size() && (text[i + 1] == '/' || text[i + 1] == '*')) {
      i = afterComment(i);
    } else if (c == '"' || c == '\'') {
      const size_t end = afterQuoted(i);
      if (c == '"')
        add(RustKind::String, i, end, text.slice(i + 1, std::max(end - 1, i + 1)));
      else
        add(RustKind::Sign, i, end, text.slice(i, i + 1));
      i = end;
    } else if (isRustWord(c)) {
      if (rawString(i))
        continue;
      size_t end = i;
      while (end < text.size() && isRustWord(text[end]))
        ++end;
      add(RustKind::Word, i, end, text.slice(i, end));
      i = end;
    } else {
      add(RustKind::Sign, i, i + 1, text.slice(i, i + 1));
      ++i;
    }
  }
  return std::move(tokens);
}

/// Constraint letters of LLVM for register classes.
constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> registerClasses[] = {
    {"reg16", "h"}, {"reg32", "r"}, {"reg64", "l"}};
constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> directions[] = {
    {"in", ""}, {"out", "="}, {"lateout", "="}, {"inout", "+"}, {"inlateout", "+"}};

/// One `asm!`, read argument by argument.
class RustStatement {
public:
  void argument(RustTokens tokens);
  /// Builds a statement with LLVM's notation, outputs first. Called after the last argument.
  void finish();

  InlineStatement read;
  std::string problem; // why the statement is skipped
  bool isForGpu = true;

private:
  void templateText(const RustToken &literal);
  void operand(RustTokens tokens, std::string name);
  void mark(llvm::StringRef inside, Range written);
  size_t operandOf(llvm::StringRef inside);

  std::vector<InlineOperand> operands; // in source order
  MappedText text;                     // in Rust's notation
  std::vector<uint32_t> placeOf;       // indexed by operand: its index in the statement
  size_t next = 0;                     // index of the next `{}`
};

class RustReader {
public:
  explicit RustReader(const SourceBuffer &source)
      : isNearGpu(source.text().contains("nvptx")), tokens(RustLexer(source.text(), result.comments).read()) {}
  InlineText read();

private:
  void statement(size_t name);

  InlineText result;
  uint32_t functions = 0; // number of functions so far
  const bool isNearGpu;
  const std::vector<RustToken> tokens;
};

} // namespace

void RustStatement::templateText(const RustToken &literal) {
  if (text.size())
    text.replace("\n", {literal.begin, literal.begin});
  if (literal.kind == RustKind::String)
    appendEscaped(literal.text, literal.content, text);
  else
    text.copy(literal.text, literal.content);
}

/// Reads `in(reg32) x`, `inout(reg64) p => q` or `const 4`.
void RustStatement::operand(RustTokens tokens, std::string name) {
  InlineOperand one;
  one.name = std::move(name);
  one.place = {tokens.front().begin, tokens.back().end};
  const auto *direction = llvm::find_if(directions, [&](const auto &known) { return tokens.front().is(known.first); });
  if (tokens.front().is("const")) {
    one.constraint = "n";
    uint64_t value = 0;
    if (tokens.size() == 2 && !tokens[1].text.getAsInteger(0, value))
      one.value = std::to_string(value);
  } else if (direction != std::end(directions) && tokens.size() > 3 && tokens[1].is("(")) {
    const auto *held = llvm::find_if(registerClasses, [&](const auto &known) { return tokens[2].is(known.first); });
    isForGpu &= held != std::end(registerClasses);
    read.isDevice = true;
    one.constraint = isForGpu ? direction->second.str() + held->second.str() : "";
  } else {
    problem = "with an operand of an unsupported kind";
  }
  operands.push_back(std::move(one));
}

void RustStatement::argument(RustTokens tokens) {
  if (tokens.empty())
    return;
  if (tokens.size() == 1 && tokens[0].isString() && operands.empty())
    return templateText(tokens[0]);
  if (!text.size()) { // `concat!(...)` and similar
    problem = "built by a macro";
    return;
  }
  if (tokens[0].is("options") || tokens[0].is("clobber_abi")) {
    read.isVolatile &= llvm::none_of(tokens, [](const RustToken &one) { return one.is("pure"); });
    read.changesMemory &= llvm::none_of(tokens, [](const RustToken &one) { return one.is("nomem"); });
    return;
  }
  const bool isNamed = tokens.size() > 2 && tokens[0].kind == RustKind::Word && tokens[1].is("=");
  operand(isNamed ? tokens.drop_front(2) : tokens, isNamed ? tokens[0].text.str() : "");
}

/// Returns the index of the operand that `{}`, `{0}` or `{name}` refers to; if there is none, a number beyond all
/// operands.
size_t RustStatement::operandOf(llvm::StringRef inside) {
  size_t index = 0;
  if (inside.empty())
    return next++;
  if (!inside.getAsInteger(10, index))
    return index;
  return llvm::find_if(operands, [&](const InlineOperand &one) { return one.name == inside; }) - operands.begin();
}

void RustStatement::mark(llvm::StringRef inside, Range written) {
  const size_t index = operandOf(inside.split(':').first.trim());
  if (inside.contains(':') || index >= operands.size())
    problem = "with a placeholder that names no operand";
  else
    read.text.replace("$" + std::to_string(placeOf[index]), text.placeOf(written));
}

void RustStatement::finish() {
  placeOf.resize(operands.size());
  for (const bool wantsOutput : {true, false})
    for (size_t i = 0; i < operands.size(); ++i) {
      const llvm::StringRef constraint = operands[i].constraint;
      if ((constraint.starts_with("=") || constraint.starts_with("+")) != wantsOutput)
        continue;
      placeOf[i] = narrow<uint32_t>(read.operands.size());
      read.operands.push_back(operands[i]);
      read.operands.back().isOutput = wantsOutput;
    }
  const llvm::StringRef all = text.text();
  for (uint32_t i = 0; i < all.size();) {
    const auto special = static_cast<uint32_t>(std::min(all.find_first_of("{}$", i), all.size()));
    read.text.append(text, {i, special});
    i = special;
    if (i >= all.size())
      return;
    const bool isDouble = i + 1 < all.size() && all[i + 1] == all[i];
    const auto close = static_cast<uint32_t>(std::min(all.find('}', i), all.size() - 1));
    if (all[i] == '$') {
      read.text.replace("$$", text.placeOf({i, i + 1}));
      ++i;
    } else if (isDouble || all[i] == '}') {
      read.text.replace(all.substr(i, 1), text.placeOf({i, i + 1 + isDouble}));
      i += 1 + isDouble;
    } else {
      mark(all.slice(i + 1, close), {i, close + 1});
      i = close + 1;
    }
  }
}

void RustReader::statement(size_t name) {
  constexpr size_t longest = 20'000;
  RustStatement one;
  one.read.style = TemplateStyle::Llvm;
  one.read.isVolatile = one.read.changesMemory = true;
  one.read.isNearDevice = isNearGpu;
  one.read.function = functions;
  size_t begin = name + 3, i = begin;
  unsigned open = 1;
  for (const size_t last = std::min(tokens.size(), begin + longest); i < last; ++i) {
    open += tokens[i].is("(") || tokens[i].is("[") || tokens[i].is("{");
    open -= tokens[i].is(")") || tokens[i].is("]") || tokens[i].is("}");
    if (open && !(open == 1 && tokens[i].is(",")))
      continue;
    one.argument(RustTokens(tokens).slice(begin, i - begin));
    begin = i + 1;
    if (!open)
      break;
  }
  if (open)
    return;
  one.finish();
  if (!one.isForGpu)
    return;
  one.read.keyword = {tokens[name].begin, tokens[name + 1].end};
  one.read.place = {tokens[name].begin, tokens[i].end};
  if (one.problem.empty())
    result.statements.push_back(std::move(one.read));
  else if (one.read.isDevice)
    result.skipped.push_back({one.read.place, one.problem});
}

InlineText RustReader::read() {
  for (size_t i = 0; i + 2 < tokens.size(); ++i) {
    functions += tokens[i].is("fn");
    if (tokens[i].is("asm") && tokens[i + 1].is("!") && tokens[i + 2].is("("))
      statement(i);
  }
  return std::move(result);
}

InlineText readRust(const SourceBuffer &source) {
  if (!source.text().contains("asm!"))
    return {};
  return RustReader(source).read();
}

} // namespace ptxray
