// Reads the asm statements of C++.
#include "Inline/Arms.h"
#include "Inline/CppStatement.h"
#include "Inline/Includes.h"
#include "Inline/Macros.h"
#include "Inline/Readers.h"
#include "Inline/TextsOfSource.h"
#include "Source/Narrow.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {
namespace {

using Tokens = llvm::ArrayRef<CppToken>;

struct Guard {
  uint32_t outer = 0;                               // guard around all branches
  uint32_t earlier = 0;                             // guard that excludes all earlier branches
  uint32_t number = 0;                              // guard of this branch
  InlineBranch branch;                              // identity of this branch
  bool isOuterForOther = false, isForOther = false; // whether all branches, or this one, are for another architecture
  size_t scopesBefore = 0;                          // number of open scopes at its `#if`
};

enum class ScopeKind : uint8_t { Outer, Function, Block };

class CudaReader {
public:
  /// Constructs a reader. `isBase` is true for a file, whose literals may be sources, and false for such a literal.
  CudaReader(const SourceBuffer &source, llvm::StringRef path, SourceBuild build, bool isBase)
      : source(source), path(path), build(build), isBase(isBase) {}
  InlineText read(Headers when);

private:
  void scan(Tokens tokens, const CppToken *use, unsigned depth);
  void directive(const CppToken &token);
  uint32_t addGuard(uint32_t outer, Tokens words, bool isNegated);
  void include(Tokens tokens);
  void loadHeaders();
  void defineMacros();
  void readHeader(const SourceBuffer *header, unsigned depth);
  void open(Tokens head);
  void close();
  uint32_t guardHere() const { return guards.empty() ? 0 : guards.back().number; }
  bool isForOtherMachineHere() const { return !guards.empty() && guards.back().isForOther; }
  size_t word(Tokens tokens, llvm::ArrayRef<uint32_t> closing, size_t i, size_t head, const CppToken *use,
              unsigned depth);
  void note(InlineStatement &read, bool isChosen) const;
  size_t statement(Tokens tokens, llvm::ArrayRef<uint32_t> closing, const CppToken *use, bool isChosen);
  void noteDeviceNames(Tokens tokens);
  void noteUse(Tokens before, Tokens tokens);
  size_t literals(Tokens tokens);
  void unusedMacros();

  const SourceBuffer &source;
  llvm::StringRef path;
  const SourceBuild build;
  const bool isBase;
  std::unique_ptr<SourceBuffer> definitions; // the macros of the build
  InlineText result;
  Macros macros;
  std::vector<Guard> guards;
  struct Scope {
    ScopeKind kind;
    bool isDevice, isKernel;
    uint32_t number;
  };
  std::vector<Scope> scopes;
  Arms arms;
  uint32_t function = 0, scopeCount = 0;
  bool isNearDevice = false; // the source contains functions for a GPU
  std::vector<std::string> includes;
  std::optional<Includes> headers; // set once they are read
};

Tokens directiveTokens(const CppToken &directive, std::vector<CppToken> &storage) {
  storage = readCppTokens(directive.text.drop_front(1), directive.place.begin + 1);
  return storage;
}

/// Adds a guard; `#ifdef X` is `#if defined(X)`.
uint32_t CudaReader::addGuard(uint32_t outer, Tokens words, bool isNegated) {
  InlineGuard guard{
      outer, "", isNegated, {words.front().place.begin, words.back().place.end}, words[0].is("ifndef") && outer == 0};
  if (words.size() > 1)
    guard.condition = llvm::StringRef(words[1].text.data(), words.back().text.end() - words[1].text.data()).str();
  if (words[0].text.ends_with("def"))
    guard.condition = "defined(" + guard.condition + ")";
  result.guards.push_back(std::move(guard));
  return static_cast<uint32_t>(result.guards.size());
}

void CudaReader::directive(const CppToken &token) {
  std::vector<CppToken> storage;
  const Tokens words = directiveTokens(token, storage);
  if (words.empty())
    return;
  const llvm::StringRef name = words[0].text;
  if (name == "if" || name == "ifdef" || name == "ifndef") {
    Guard guard;
    guard.branch.choice = arms.newChoice();
    guard.scopesBefore = scopes.size();
    guard.outer = guard.earlier = guardHere();
    guard.number = addGuard(guard.outer, words, name == "ifndef");
    guard.isOuterForOther = isForOtherMachineHere();
    guard.isForOther = guard.isOuterForOther || isForOtherMachine(result.guards.back());
    guards.push_back(guard);
  } else if ((name == "elif" || name == "else") && !guards.empty()) {
    Guard &guard = guards.back();
    ++guard.branch.arm;
    InlineGuard before = result.guards[guard.number - 1];
    before.outer = guard.earlier;
    before.isNegated = !before.isNegated;
    before.isAgainstRepetition = false;
    result.guards.push_back(std::move(before));
    guard.earlier = guard.number = static_cast<uint32_t>(result.guards.size());
    guard.isOuterForOther |= isForOtherMachine(result.guards.back());
    guard.isForOther = guard.isOuterForOther;
    if (name == "elif") {
      guard.number = addGuard(guard.earlier, words, /*isNegated=*/false);
      guard.isForOther |= isForOtherMachine(result.guards.back());
    }
    while (scopes.size() > guards.back().scopesBefore) // all branches open the same braces
      close();
  } else if (name == "endif" && !guards.empty()) {
    guards.pop_back();
  } else if (name == "include") {
    include(words);
  } else if (!isForOtherMachineHere()) {
    macros.read(words, /*isForeign=*/false);
  }
}

void CudaReader::include(Tokens tokens) {
  if (const llvm::StringRef name = includedName(tokens); !name.empty())
    includes.push_back(name.str());
}

/// Adds the macros that the build defines, as if a header defined them.
void CudaReader::defineMacros() {
  std::string text;
  for (const llvm::StringRef macro : build.macros) {
    const auto [name, value] = macro.split('=');
    text += "#define " + name.str() + " " + (macro.contains('=') ? value.str() : "1") + "\n";
  }
  definitions = SourceBuffer::fromOwned("<build>", std::move(text));
  readHeader(definitions.get(), 0);
}

/// Reads the macros of a header, and of the headers that it includes.
// NOLINTNEXTLINE(misc-no-recursion): at most `deepest` deep
void CudaReader::readHeader(const SourceBuffer *header, unsigned depth) {
  constexpr unsigned deepest = 16;
  if (!header || depth > deepest)
    return;
  for (const CppToken &token : readCppTokens(header->text())) {
    if (token.kind != CppKind::Directive)
      continue;
    std::vector<CppToken> storage;
    const Tokens words = directiveTokens(token, storage);
    if (words.empty())
      continue;
    if (words[0].is("include"))
      readHeader(headers->open(includedName(words)), depth + 1);
    else if (words[0].is("define"))
      macros.read(words, /*isForeign=*/true);
  }
}

/// Reads the headers if a macro is undefined that they may define. Most files do not need them.
void CudaReader::loadHeaders() {
  if (path.empty())
    return;
  headers.emplace(path, build.folders);
  for (const std::string &name : includes)
    readHeader(headers->open(name), 0);
  readHeader(headers->openSameStem(), 0);
}

/// Returns the kind of scope that a brace opens, judging by the preceding text.
static ScopeKind kindOfScope(Tokens head) {
  bool hasParenthesis = false;
  for (size_t i = 0; i < head.size(); ++i) {
    if (head[i].is("template") && i + 1 < head.size() && head[i + 1].is("<")) {
      int depth = 0;
      for (++i; i < head.size(); ++i) {
        depth += head[i].is("<");
        depth -= head[i].is(">");
        if (depth == 0)
          break;
      }
      continue;
    }
    if (hasParenthesis)
      continue;
    if (head[i].is("operator")) // the name of the operator follows
      return ScopeKind::Function;
    for (const char *word : {"namespace", "class", "struct", "union", "enum"})
      if (head[i].is(word))
        return ScopeKind::Outer;
    if (head[i].is("="))
      return ScopeKind::Outer;
    hasParenthesis = head[i].is("(");
  }
  return hasParenthesis ? ScopeKind::Function : ScopeKind::Outer;
}

static bool isDeviceCode(Tokens head) {
  return llvm::any_of(head, [](const CppToken &token) {
    return token.kind == CppKind::Name && (token.text == "__device__" || token.text == "__global__" ||
                                           token.text.contains("DEVICE") || token.text.contains("KERNEL"));
  });
}

static bool isKernel(Tokens head) {
  return llvm::any_of(head, [](const CppToken &token) {
    return token.kind == CppKind::Name && (token.text == "__global__" || token.text.contains("KERNEL"));
  });
}

/// Returns the name before the first parenthesis that follows a name. Ignores attributes.
static llvm::StringRef nameOfFunction(Tokens head) {
  for (size_t i = 0; i + 1 < head.size(); ++i)
    if (head[i].kind == CppKind::Name && head[i + 1].is("(") && !head[i].text.starts_with("__"))
      return head[i].text;
  return "";
}

/// Returns whether a statement with this beginning is conditional.
static bool isChosen(Tokens beginning) {
  return llvm::any_of(beginning, [](const CppToken &token) { return token.is("if") || token.is("else"); });
}

/// Records an access such as `p[i]`, or a call such as `f(x)` or `f<4>(x)` in a function for a GPU. `tokens` begin with
/// the name. A call after `if` or `else` may belong to another instance of a template.
void CudaReader::noteUse(Tokens before, Tokens tokens) {
  constexpr size_t longest = 32;
  if (!function)
    return;
  const bool isDeclared = !before.empty() && before.back().kind == CppKind::Name && !before.back().is("return");
  if (tokens.size() > 1 && tokens[1].is("[") && !isDeclared)
    result.functions[function - 1].accessesMemory = true;
  if (!scopes.back().isDevice || isChosen(before))
    return;
  size_t i = 1, depth = 0;
  if (tokens.size() > 1 && tokens[1].is("<"))
    for (const size_t end = std::min(tokens.size(), longest); i < end; ++i) {
      depth += tokens[i].is("<");
      if (tokens[i].is(">") && !--depth) {
        ++i;
        break;
      }
      if (tokens[i].is(";") || tokens[i].is("{"))
        return;
    }
  if (i < tokens.size() && tokens[i].is("("))
    result.calls.push_back(
        {function, scopes.back().number, guards.empty() ? 0 : guards.back().number, tokens[0].text.str()});
}

void CudaReader::open(Tokens head) {
  const uint32_t number = ++scopeCount;
  arms.open(scopes.size());
  if (function) {
    scopes.push_back({ScopeKind::Block, scopes.back().isDevice, scopes.back().isKernel, number});
    return;
  }
  const ScopeKind kind = kindOfScope(head);
  const bool isFunction = kind == ScopeKind::Function;
  scopes.push_back({kind, isFunction && isDeviceCode(head), isFunction && isKernel(head), number});
  if (!isFunction)
    return;
  const bool isKept = llvm::any_of(head, [](const CppToken &token) { return token.text.contains("noinline"); });
  result.functions.push_back({nameOfFunction(head).str(), scopes.back().isKernel, isKept});
  function = narrow<uint32_t>(result.functions.size());
  arms.clear();
}

void CudaReader::close() {
  if (scopes.empty())
    return;
  if (scopes.back().kind == ScopeKind::Function)
    function = 0;
  scopes.pop_back();
}

/// Records names such as `x` in `__device__ int x;`, which exist in the compiler's PTX.
void CudaReader::noteDeviceNames(Tokens tokens) {
  constexpr size_t longest = 64;
  for (const CppToken &token : tokens.take_front(longest)) {
    if (token.is(";") || token.is("{") || token.is("=") || token.is("}"))
      return;
    if (token.kind == CppKind::Name)
      result.deviceNames.push_back(token.text.str());
  }
}

/// Returns whether a macro is an alias of the keyword: `#define ASM asm volatile`.
static bool isAsmAlias(const Macro &macro) {
  return macro.holdsAsm && !macro.isFunction && llvm::all_of(macro.body, [](const CppToken &token) {
           return isAsmKeyword(token.text) || isQualifier(token.text);
         });
}

/// Reads the statement that begins here. Returns the number of its tokens, or 1 if it is none. `closing` is the result
/// of `closingOf`, starting at the same token. `isChosen` means that it follows `if` or `else`.
size_t CudaReader::statement(Tokens tokens, llvm::ArrayRef<uint32_t> closing, const CppToken *use, bool isChosen) {
  size_t i = 1;
  bool isVolatile = false;
  if (const Macro *alias = macros.find(tokens[0].text))
    isVolatile = llvm::any_of(alias->body, [](const CppToken &token) { return token.text.contains("volatile"); });
  for (; i < tokens.size() && isQualifier(tokens[i].text); ++i)
    isVolatile |= tokens[i].text.contains("volatile");
  if (i >= tokens.size() || !tokens[i].is("("))
    return 1;
  if (!closing[i])
    return 1;
  const size_t end = i + closing[i];
  Tokens inside = tokens.slice(i + 1, end - i - 1);
  const Range place = use ? use->place : Range{tokens[0].place.begin, tokens[end].place.end};
  std::vector<CppToken> expanded;
  std::string problem;
  auto readInside = [&](InlineStatement &statement) {
    expanded.clear();
    const bool isExpanded = macros.expandsAny(inside);
    if (isExpanded && !macros.expand(inside, expanded))
      return std::string("with macros that expand to too many tokens");
    const std::vector<Tokens> parts = splitAtColons(isExpanded ? Tokens(expanded) : inside);
    constexpr size_t allParts = 4;
    if (!use && !isExpanded && parts.size() <= allParts) {
      const std::string colons(allParts - parts.size(), ':');
      statement.clobberPlace = tokens[end].place.begin;
      statement.clobberText = (parts.size() == allParts ? "" : " ") + colons + " \"memory\"";
    }
    return readParts(parts, statement);
  };
  InlineStatement read;
  problem = readInside(read);
  if (!problem.empty() && problem != "with #if inside" && !headers && !path.empty()) {
    loadHeaders();
    read = {};
    problem = readInside(read);
  }
  read.place = place;
  read.keyword = use ? use->place : tokens[0].place;
  read.isVolatile = isVolatile;
  note(read, isChosen);
  if (isForOtherMachineHere())
    problem = forOtherMachine.str();
  if (!problem.empty())
    result.skipped.push_back({place, problem});
  else
    result.statements.push_back(std::move(read));
  return end + 1;
}

/// Records the context of a statement.
void CudaReader::note(InlineStatement &read, bool isChosen) const {
  read.text.setHome(read.place);
  read.function = function;
  read.scope = scopes.empty() || isChosen ? 0 : scopes.back().number;
  read.isDevice = !scopes.empty() && scopes.back().isDevice;
  read.isKernel = !scopes.empty() && scopes.back().isKernel;
  read.guard = guardHere();
  read.isNearDevice = isNearDevice;
  constexpr size_t mostBranches = 16; // for each kind, innermost first
  const llvm::ArrayRef<InlineBranch> around = arms.around().take_back(std::min(mostBranches, arms.around().size()));
  read.branches.append(around.begin(), around.end());
  for (const Guard &guard : llvm::ArrayRef(guards).take_back(std::min(mostBranches, guards.size())))
    read.branches.push_back(guard.branch);
}

// NOLINTNEXTLINE(misc-no-recursion): at most `deepest` deep
void CudaReader::scan(Tokens tokens, const CppToken *use, unsigned depth) {
  const std::vector<uint32_t> closing = closingOf(tokens);
  size_t head = 0; // beginning of the current declaration
  for (size_t i = 0; i < tokens.size();) {
    const CppToken &token = tokens[i];
    if (token.kind == CppKind::Directive) {
      directive(token);
      head = ++i;
    } else if (token.is("{")) {
      open(tokens.slice(head, i - head));
      head = ++i;
    } else if (token.is("}")) {
      close();
      head = ++i;
      arms.close(scopes.size(), i < tokens.size() && tokens[i].is("else"));
    } else if (token.is(";")) {
      arms.see(false, scopes.size());
      arms.endStatement(scopes.size());
      head = ++i;
    } else if (token.kind == CppKind::String && isBase) {
      arms.see(false, scopes.size());
      i += literals(tokens.drop_front(i));
    } else {
      if (token.is("*") && i == head && function)
        result.functions[function - 1].accessesMemory = true;
      arms.see(token.is("else"), scopes.size());
      const bool isWord =
          token.kind == CppKind::Name &&
          !(isAsmKeyword(token.text) && isLabel(tokens.slice(head, i - head), tokens.drop_front(i + 1)));
      i += isWord ? word(tokens, closing, i, head, use, depth) : 1;
    }
  }
}

/// Returns the number of tokens of `for`, `while` or `switch` including the parentheses; 0 for other tokens.
static size_t lengthOfLoopHead(Tokens tokens, llvm::ArrayRef<uint32_t> closing, size_t i) {
  const bool isHead = tokens[i].is("for") || tokens[i].is("while") || tokens[i].is("switch");
  return isHead && i + 1 < tokens.size() && tokens[i + 1].is("(") && closing[i + 1] ? closing[i + 1] + 2 : 0;
}

/// Returns the number of tokens of `if` with its condition, of `else`, or of `else if`; 0 for other tokens.
static size_t lengthOfHead(Tokens tokens, llvm::ArrayRef<uint32_t> closing, size_t i) {
  const bool isElse = tokens[i].is("else");
  if (!isElse && !tokens[i].is("if"))
    return 0;
  size_t at = i + isElse;
  if (at >= tokens.size() || !tokens[at].is("if"))
    return 1;
  ++at;
  while (at < tokens.size() && (tokens[at].is("constexpr") || tokens[at].is("consteval") || tokens[at].is("!")))
    ++at;
  return at < tokens.size() && tokens[at].is("(") && closing[at] ? at + closing[at] + 1 - i : 1;
}

/// Reads a construct that begins with a name. Returns the number of its tokens.
// NOLINTNEXTLINE(misc-no-recursion): at most `deepest` deep
size_t CudaReader::word(Tokens tokens, llvm::ArrayRef<uint32_t> closing, size_t i, size_t head, const CppToken *use,
                        unsigned depth) {
  constexpr unsigned deepest = 8;
  const CppToken &token = tokens[i];
  const Tokens before = tokens.slice(head, i - head);
  if (isAsmKeyword(token.text))
    return statement(tokens.drop_front(i), closing.drop_front(i), use, isChosen(before));
  if (token.text == "__device__" || token.text == "__constant__" || token.text == "__shared__" ||
      token.text == "extern") {
    noteDeviceNames(tokens.drop_front(i));
    return 1;
  }
  if (const size_t length = function ? lengthOfHead(tokens, closing, i) : 0) {
    arms.begin(token.is("else"));
    return length;
  }
  if (const size_t length = function ? lengthOfLoopHead(tokens, closing, i) : 0)
    return length;
  Macro *macro = macros.find(token.text);
  if (macro && isAsmAlias(*macro))
    return statement(tokens.drop_front(i), closing.drop_front(i), use, isChosen(before));
  const size_t length = macro && macro->holdsAsm ? macros.useAt(*macro, tokens.drop_front(i)) : 0;
  if (!length || depth >= deepest) {
    noteUse(before, tokens.drop_front(i));
    return 1;
  }
  std::vector<CppToken> expanded;
  CppToken whole = use ? *use : token;
  if (!use)
    whole.place.end = std::max(whole.place.end, tokens[i + length - 1].place.end);
  if (macros.expand(tokens.slice(i, length), expanded))
    scan(expanded, &whole, depth + 1);
  else
    result.skipped.push_back({whole.place, "with macros that expand to too many tokens"});
  return length;
}

/// Reads the literals that begin here as sources, if they are. Returns the number of literals.
size_t CudaReader::literals(Tokens tokens) {
  const Tokens all = tokens.take_while(isLiteral);
  if (llvm::none_of(all, [](const CppToken &token) { return mayHoldSource(token.text); }))
    return all.size();
  MappedText value;
  for (const CppToken &token : all)
    appendLiteral(token, value);
  scopeCount = readTextOfSource(value, {narrow<uint32_t>(result.functions.size()), scopeCount, guardHere()}, result);
  return all.size();
}

/// Reads statements in macros that this file does not use. Parameters represent themselves.
void CudaReader::unusedMacros() {
  std::vector<const Macro *> unused;
  for (const auto &entry : macros.all())
    if (entry.second.holdsAsm && !entry.second.isUsed && !entry.second.isForeign)
      unused.push_back(&entry.second);
  llvm::sort(unused, [](const Macro *a, const Macro *b) { return a->place.begin < b->place.begin; });
  function = 0;
  scopes.clear();
  arms.clear();
  guards.clear();
  for (const Macro *macro : unused) {
    const std::vector<CppToken> body = macro->body;
    scan(body, nullptr, 0);
  }
}

InlineText CudaReader::read(Headers when) {
  isNearDevice = source.text().contains("__device__") || source.text().contains("__global__");
  if (!build.macros.empty())
    defineMacros();
  const std::vector<CppToken> tokens = readCppTokens(source.text(), 0, &result.comments);
  if (when == Headers::First || !build.folders.empty()) {
    for (const CppToken &token : tokens)
      if (std::vector<CppToken> storage; token.kind == CppKind::Directive)
        if (const Tokens words = directiveTokens(token, storage); !words.empty() && words[0].is("include"))
          include(words);
    loadHeaders();
  }
  scan(tokens, nullptr, 0);
  unusedMacros();
  llvm::stable_sort(result.statements,
                    [](const InlineStatement &a, const InlineStatement &b) { return a.place.begin < b.place.begin; });
  return std::move(result);
}

} // namespace

InlineText readCuda(const SourceBuffer &source, llvm::StringRef path, Headers headers, SourceBuild build) {
  if (headers == Headers::WhenNeeded && !source.text().contains("asm") && !mayHoldSource(source.text()))
    return {};
  return CudaReader(source, path, build, /*isBase=*/true).read(headers);
}

InlineText readCudaText(const SourceBuffer &source) {
  return CudaReader(source, "", {}, /*isBase=*/false).read(Headers::WhenNeeded);
}

} // namespace ptxray
