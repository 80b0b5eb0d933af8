#include "Inline/TextsOfSource.h"
#include "Inline/CppStatement.h"
#include "Inline/Macros.h"
#include "Inline/Readers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace ptxray {

/// Returns whether the text contains the directives at the beginning of a PTX module.
static bool isModule(llvm::StringRef text) {
  return text.contains(".version") && text.contains(".target") && text.contains(".address_size");
}

static bool isLlvm(llvm::StringRef text) { return text.contains("asm sideeffect \"") || text.contains("call asm \""); }

/// Returns whether LLVM IR specifies a GPU target.
static bool namesGpu(llvm::StringRef text) {
  return text.contains("nvptx") || text.contains("nvvm") || text.contains("ptx_kernel");
}

bool mayHoldSource(llvm::StringRef text) { return text.contains("asm") || isModule(text); }

/// Returns whether the text contains functions for a GPU, and has balanced braces.
static bool isWholeSource(llvm::StringRef text, llvm::ArrayRef<CppToken> tokens) {
  int depth = 0;
  for (const CppToken &token : tokens) {
    depth += token.is("{");
    depth -= token.is("}");
    if (depth < 0)
      return false;
  }
  return depth == 0 && (text.contains("__global__") || text.contains("__device__"));
}

static unsigned countStatements(llvm::ArrayRef<CppToken> tokens) {
  unsigned count = 0;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].kind != CppKind::Name || !isAsmKeyword(tokens[i].text))
      continue;
    size_t next = i + 1;
    while (next < tokens.size() && isQualifier(tokens[next].text))
      ++next;
    count += next + 1 < tokens.size() && tokens[next].is("(") && tokens[next + 1].kind == CppKind::String;
  }
  return count;
}

/// Returns whether a character begins a placeholder: `{type}`, `{{x}}`, `{% if %}`, `%s`, `%%0`, `${x}`.
static bool beginsPlaceholder(char c, llvm::StringRef rest) {
  const llvm::StringRef word = rest.take_while([](char one) { return llvm::isAlnum(one) || one == '_'; });
  const bool isOneName = !word.empty() && !llvm::isDigit(word[0]) && rest.drop_front(word.size()).starts_with("}");
  const bool isEscaped = rest.size() > 1 && rest[0] == '%' && llvm::isDigit(rest[1]);
  if (c == '{')
    return isOneName || rest.starts_with("{") || rest.starts_with("% ");
  return c == '%' ? isEscaped || word == "s" || word == "d" || word == "u" : rest.starts_with("{");
}

static bool hasPlaceholder(llvm::StringRef text) {
  for (size_t i = text.find_first_of("{%$"); i != llvm::StringRef::npos; i = text.find_first_of("{%$", i + 1))
    if (beginsPlaceholder(text[i], text.drop_front(i + 1)))
      return true;
  return false;
}

/// Adds the statements of a literal's text, with locations in the surrounding source.
static void addInner(InlineText inner, const MappedText &value, LiteralPlace at, InlineText &into) {
  const auto guards = static_cast<uint32_t>(into.guards.size());
  for (InlineGuard &guard : inner.guards) {
    guard.outer = guard.outer ? guard.outer + guards : at.guard;
    guard.place = value.placeOf(guard.place);
    into.guards.push_back(std::move(guard));
  }
  for (InlineStatement &one : inner.statements) {
    one.place = value.placeOf(one.place);
    if (hasPlaceholder(one.text.text())) {
      into.skipped.push_back({one.place, "with placeholders"});
      continue;
    }
    one.keyword = value.placeOf(one.keyword);
    one.text = one.text.through(value);
    for (InlineOperand &operand : one.operands)
      operand.place = value.placeOf(operand.place);
    for (auto &clobber : one.clobbers)
      clobber.second = value.placeOf(clobber.second);
    if (one.missingComma)
      one.missingComma = value.placeOf(*one.missingComma);
    one.guard = one.guard ? one.guard + guards : at.guard;
    one.function += one.function ? at.functions : 0;
    one.scope += one.scope ? at.scopes : 0;
    one.clobberText.clear(); // inserting it would require escapes
    into.statements.push_back(std::move(one));
  }
  for (SkippedStatement &one : inner.skipped)
    into.skipped.push_back({value.placeOf(one.place), std::move(one.reason)});
  for (const Range comment : inner.comments)
    into.comments.push_back(value.placeOf(comment));
  llvm::append_range(into.deviceNames, inner.deviceNames);
  llvm::append_range(into.functions, inner.functions);
  for (InlineCall &call : inner.calls) {
    call.caller += at.functions;
    call.scope += at.scopes;
    call.guard = call.guard ? call.guard + guards : at.guard;
    into.calls.push_back(std::move(call));
  }
}

uint32_t readTextOfSource(const MappedText &value, LiteralPlace at, InlineText &into) {
  const Range place = value.placeOf({0, value.size()});
  if (isModule(value.text())) {
    into.skipped.push_back({place, "of a whole module in a literal"});
    return at.scopes;
  }
  const std::vector<CppToken> tokens = readCppTokens(value.text());
  const bool isOfLlvm = isLlvm(value.text()) && (at.isForGpu || namesGpu(value.text()));
  if (!isOfLlvm && !isWholeSource(value.text(), tokens)) {
    skipTextOfSource(value.text(), place, into);
    return at.scopes;
  }
  const auto source = SourceBuffer::fromOwned("<literal>", value.text().str());
  InlineText inner = isOfLlvm ? readLlvm(*source) : readCudaText(*source);
  // In LLVM assembly, functions have only numbers, and any function may access memory.
  for (const InlineStatement &one : inner.statements)
    while (inner.functions.size() < one.function)
      inner.functions.push_back({.name = "", .accessesMemory = true});
  uint32_t scopes = 0;
  for (const InlineStatement &one : inner.statements)
    scopes = std::max(scopes, one.scope);
  for (const InlineCall &one : inner.calls)
    scopes = std::max(scopes, one.scope);
  addInner(std::move(inner), value, at, into);
  return at.scopes + scopes;
}

void skipTextOfSource(llvm::StringRef text, Range place, InlineText &into) {
  const std::vector<CppToken> tokens = readCppTokens(text);
  const unsigned count = text.contains("%0") || text.contains("%%") ? countStatements(tokens) : 0;
  into.skipped.insert(into.skipped.end(), count, {place, "in a literal that contains part of a source"});
}

} // namespace ptxray
