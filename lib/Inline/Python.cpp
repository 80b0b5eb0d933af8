// Reads inline assembly in Python (in Triton, and in programs that build MLIR), in Mojo, which is similar, and in
// Julia.
#include "Inline/Constraints.h"
#include "Inline/Literals.h"
#include "Inline/Readers.h"
#include "Inline/TextsOfSource.h"
#include "Source/Narrow.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

namespace ptxray {
namespace {

enum class PyKind : uint8_t { Name, Number, String, Formatted, Sign };

struct PyToken {
  PyKind kind;
  bool isRaw = false;
  bool startsLine = false;
  llvm::StringRef text; // for a string, the text between its quotes
  uint32_t begin = 0, end = 0;
  uint32_t content = 0; // offset of the content
  bool is(llvm::StringRef other) const { return kind != PyKind::String && kind != PyKind::Formatted && text == other; }
};

using PyTokens = llvm::ArrayRef<PyToken>;

std::vector<PyToken> readPyTokens(llvm::StringRef text, std::vector<Range> &remarks) {
  std::vector<PyToken> tokens;
  bool startsLine = true;
  auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80; };
  for (size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '#') {
      const size_t end = std::min(text.find('\n', i), text.size());
      if (text.slice(i + 1, end).ltrim().starts_with("ptxray:"))
        remarks.push_back({narrow<uint32_t>(i), narrow<uint32_t>(i + text.slice(i, end).rtrim().size())});
      i = end;
      continue;
    }
    if (llvm::isSpace(c) || c == '\\') {
      startsLine |= c == '\n';
      ++i;
      continue;
    }
    PyToken token;
    token.startsLine = std::exchange(startsLine, false);
    token.begin = narrow<uint32_t>(i);
    size_t end = i;
    while (end < text.size() && isWord(text[end]))
      ++end;
    const llvm::StringRef word = text.slice(i, end);
    const bool isQuoted = end < text.size() && (text[end] == '"' || text[end] == '\'') && word.size() <= 2 &&
                          word.find_first_not_of("rRbBfFuUtT") == llvm::StringRef::npos;
    if (isQuoted) {
      const bool isTriple = text.substr(end).starts_with(std::string(3, text[end]));
      const std::string quote(isTriple ? 3 : 1, text[end]);
      const size_t begin = end + quote.size();
      for (end = begin; end < text.size() && !text.substr(end).starts_with(quote); ++end) {
        if (text[end] == '\n' && !isTriple)
          break;
        end += text[end] == '\\';
      }
      end = std::min(end, text.size());
      token.kind = word.find_first_of("fFtT") == llvm::StringRef::npos ? PyKind::String : PyKind::Formatted;
      token.isRaw = word.find_first_of("rR") != llvm::StringRef::npos;
      token.text = text.slice(begin, end);
      token.content = narrow<uint32_t>(begin);
      end = std::min(end + quote.size(), text.size());
    } else if (!word.empty()) {
      token.kind = llvm::isDigit(word[0]) ? PyKind::Number : PyKind::Name;
      token.text = word;
    } else {
      token.kind = PyKind::Sign;
      end = i + 1;
      token.text = text.slice(i, end);
    }
    token.end = narrow<uint32_t>(end);
    tokens.push_back(token);
    i = end;
  }
  return tokens;
}

class PythonReader {
public:
  PythonReader(const SourceBuffer &source, bool isForGpu)
      : isForGpu(isForGpu), tokens(readPyTokens(source.text(), result.comments)) {}
  InlineText read();

private:
  void noteBindings();
  template <typename Note> void noteParameters(size_t i, Note note);
  void call(size_t name, bool isTriton);
  size_t sources(size_t first);
  std::string literal(PyTokens expression, MappedText &out, unsigned depth = 0) const;

  const bool isForGpu; // the whole source is for a GPU
  InlineText result;
  std::vector<PyToken> tokens;
  uint32_t scopes = 0;                                // number of blocks in the literals so far
  llvm::StringMap<std::pair<unsigned, size_t>> bound; // number of bindings of a name, and the location of the last one
};

/// Records the parameters of a function whose parenthesis opens at token `i`.
template <typename Note> void PythonReader::noteParameters(size_t i, Note note) {
  if (i >= tokens.size() || !tokens[i].is("("))
    return;
  constexpr size_t longest = 2'000;
  unsigned open = 0;
  for (const size_t last = std::min(tokens.size(), i + longest); i < last; ++i) {
    const bool opens = tokens[i].is("(") || tokens[i].is("[") || tokens[i].is("{");
    open += opens;
    if ((tokens[i].is(")") || tokens[i].is("]") || tokens[i].is("}")) && --open == 0)
      return;
    if (open == 1 && (opens || tokens[i].is(",")) && i + 1 < last && tokens[i + 1].kind == PyKind::Name)
      note(i + 1, i + 2);
  }
}

/// Returns whether a line changes a name: `NAME := ...`, or `NAME += ...` and similar at its beginning.
static bool changes(const PyToken &name, const PyToken &sign, const PyToken &equals) {
  if (name.kind != PyKind::Name || !equals.is("=") || equals.begin != sign.end)
    return false;
  const bool compares = sign.is("=") || sign.is("<") || sign.is(">") || sign.is("!");
  return sign.is(":") || (name.startsLine && sign.kind == PyKind::Sign && !compares);
}

/// Records `NAME = "..."` at the beginning of a line. Any other binding makes the name unknown.
void PythonReader::noteBindings() {
  auto note = [&](size_t name, size_t value) {
    auto &[count, at] = bound[tokens[name].text];
    ++count;
    at = value;
  };
  for (size_t i = 0; i + 2 < tokens.size(); ++i) {
    const PyToken &next = tokens[i + 1];
    if (tokens[i].is("def")) {
      noteParameters(i + 2, note);
    } else if (tokens[i].is("for") || tokens[i].is("as")) {
      note(i + 1, i + 2);
    } else if (changes(tokens[i], next, tokens[i + 2])) { // treated as a second binding, so the name is not a constant
      note(i, i + 3);
      note(i, i + 3);
    } else if (tokens[i].kind != PyKind::Name || !tokens[i].startsLine) {
      continue;
    } else if (next.is("=") && !tokens[i + 2].is("=")) {
      note(i, i + 2);
    } else if (next.is(",")) { // `a, b = ...`
      for (size_t name = i; name < tokens.size() && tokens[name].kind == PyKind::Name; name += 2) {
        note(name, name + 1);
        note(name, name + 1);
        if (name + 1 >= tokens.size() || !tokens[name + 1].is(","))
          break;
      }
    }
  }
}

/// Appends the text of an expression. Returns why it is unknown; empty on success.
// NOLINTNEXTLINE(misc-no-recursion): at most `deepest` deep
std::string PythonReader::literal(PyTokens expression, MappedText &out, unsigned depth) const {
  constexpr unsigned deepest = 4;
  while (expression.size() > 1 && expression.front().is("(") && expression.back().is(")"))
    expression = expression.drop_front().drop_back();
  if (expression.size() == 1 && expression[0].kind == PyKind::Name && depth < deepest) {
    const auto found = bound.find(expression[0].text);
    if (found == bound.end() || found->second.first != 1)
      return "built at run time";
    const size_t begin = found->second.second;
    size_t end = begin;
    unsigned open = 0;
    for (; end < tokens.size() && (end == begin || open || !tokens[end].startsLine); ++end) {
      open += tokens[end].is("(") || tokens[end].is("[") || tokens[end].is("{");
      open -= open && (tokens[end].is(")") || tokens[end].is("]") || tokens[end].is("}"));
    }
    return literal(PyTokens(tokens).slice(begin, end - begin), out, depth + 1);
  }
  for (const PyToken &token : expression) {
    if (token.is("+"))
      continue;
    if (token.kind != PyKind::String)
      return "built at run time";
    if (token.isRaw)
      out.copy(token.text, token.content);
    else
      appendEscaped(token.text, token.content, out);
  }
  return expression.empty() ? "built at run time" : "";
}

void PythonReader::call(size_t name, bool isTriton) {
  llvm::SmallVector<PyTokens, 8> positional;
  PyTokens text, constraints;
  bool hasSideEffects = false;
  size_t begin = name + 2, i = begin;
  unsigned open = 1;
  auto argument = [&](size_t end) {
    const PyTokens one = PyTokens(tokens).slice(begin, end - begin);
    if (one.size() > 2 && one[0].kind == PyKind::Name && one[1].is("=") && !one[2].is("=")) {
      if (one[0].text == "asm" || one[0].text == "asm_string")
        text = one.drop_front(2);
      if (one[0].text == "constraints")
        constraints = one.drop_front(2);
      hasSideEffects |= one[0].text == "has_side_effects" && one[2].is("True");
    } else if (!one.empty()) {
      positional.push_back(one);
    }
    begin = end + 1;
  };
  constexpr size_t longest = 20'000;
  const size_t last = std::min(tokens.size(), begin + longest);
  for (; i < last; ++i) {
    open += tokens[i].is("(") || tokens[i].is("[") || tokens[i].is("{");
    if ((tokens[i].is(")") || tokens[i].is("]") || tokens[i].is("}")) && --open == 0)
      break;
    if (open == 1 && tokens[i].is(","))
      argument(i);
  }
  if (i >= last)
    return;
  argument(i);
  const size_t first = isTriton ? 0 : 2; // preceded by the result type and the operands
  if (text.empty() && positional.size() > first)
    text = positional[first];
  if (constraints.empty() && positional.size() > first + 1)
    constraints = positional[first + 1];
  InlineStatement read;
  read.style = TemplateStyle::Llvm;
  read.isDevice = true;
  read.isVolatile = hasSideEffects;
  read.function = 1; // code for a GPU becomes one function
  read.keyword = {tokens[name].begin, tokens[name].end};
  read.place = {tokens[name].begin, tokens[i].end};
  if (text.empty() || constraints.empty())
    return; // a definition, or another function
  MappedText list;
  std::string problem = literal(text, read.text);
  if (problem.empty())
    problem = literal(constraints, list);
  if (!problem.empty()) {
    result.skipped.push_back({read.place, problem});
    return;
  }
  read.changesMemory = isTriton; // Triton's calls have no clobbers
  readConstraints(list, read);
  result.statements.push_back(std::move(read));
}

/// Reads the literals that begin here as sources, if they are. Returns the number of literals.
size_t PythonReader::sources(size_t first) {
  MappedText value;
  bool isKnown = true, isSource = false;
  size_t i = first;
  for (; i < tokens.size() && (tokens[i].kind == PyKind::String || tokens[i].kind == PyKind::Formatted); ++i) {
    isKnown &= tokens[i].kind == PyKind::String;
    isSource |= mayHoldSource(tokens[i].text);
    if (tokens[i].isRaw)
      value.copy(tokens[i].text, tokens[i].content);
    else
      appendEscaped(tokens[i].text, tokens[i].content, value);
  }
  if (isSource && isKnown && result.functions.empty())
    result.functions.push_back({.name = "", .accessesMemory = true}); // function 1 contains the calls in Python
  if (isSource && isKnown)
    scopes = readTextOfSource(value, {narrow<uint32_t>(result.functions.size()), scopes, 0, isForGpu}, result);
  else if (isSource)
    skipTextOfSource(value.text(), {tokens[first].begin, tokens[i - 1].end}, result);
  return i - first;
}

InlineText PythonReader::read() {
  noteBindings();
  for (size_t i = 0; i < tokens.size();) {
    if (tokens[i].kind == PyKind::String || tokens[i].kind == PyKind::Formatted) {
      i += sources(i);
      continue;
    }
    const bool isCall = i + 1 < tokens.size() && tokens[i + 1].is("(") && !(i && tokens[i - 1].is("def"));
    const bool isTriton = tokens[i].is("inline_asm_elementwise") || tokens[i].is("asmcall");
    const bool isOfMojo = i + 1 < tokens.size() && tokens[i].is("inlined_assembly") && tokens[i + 1].is("[");
    if (isOfMojo || (isCall && (isTriton || tokens[i].is("inline_asm"))))
      call(i, isTriton || isOfMojo);
    else if (isCall && tokens[i].is("asm") && i + 2 < tokens.size() && tokens[i + 2].kind == PyKind::String)
      result.skipped.push_back({{tokens[i].begin, tokens[i + 2].end}, "in a call of `asm`"});
    ++i;
  }
  return std::move(result);
}

} // namespace

InlineText readPython(const SourceBuffer &source, bool isForGpu) {
  if (!mayHoldSource(source.text()) && !source.text().contains("assembly"))
    return {};
  return PythonReader(source, isForGpu).read();
}

} // namespace ptxray
