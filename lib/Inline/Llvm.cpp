// Reads inline assembly in LLVM IR and in MLIR.
#include "Inline/Constraints.h"
#include "Inline/Fragment.h"
#include "Inline/Readers.h"
#include "Source/Narrow.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace ptxray {
namespace {

/// Finds a word repeatedly at increasing offsets.
class Finder {
public:
  explicit Finder(llvm::StringRef word) : word(word) {}
  /// Counts how often the word occurs before the offset, which must not decrease.
  uint32_t countBefore(llvm::StringRef text, size_t place) {
    for (; next < place && (next = text.find(word, next)) < place; next += word.size(), ++count)
      last = next;
    return count;
  }
  size_t last = llvm::StringRef::npos; // location of the last match
private:
  const llvm::StringRef word;
  size_t next = 0;
  uint32_t count = 0;
};

class LlvmReader {
public:
  explicit LlvmReader(const SourceBuffer &source) : text(source.text()) {}
  InlineText read();

private:
  void statement(size_t keyword, size_t i);
  void noteModuleAssembly(size_t i);
  void noteGlobals();
  bool isOfOtherMachine(InlineStatement &read, size_t keyword);
  void skipBlanks(size_t &i) const {
    while (i < text.size() && llvm::isSpace(text[i]))
      ++i;
  }
  bool literal(size_t &i, MappedText &out) const;

  llvm::StringRef text;
  InlineText result;
  Finder functions{"\ndefine "}, triples{"triple = \""};
};

/// Reads `"...\0A..."`. MLIR also permits `\n`.
bool LlvmReader::literal(size_t &i, MappedText &out) const {
  skipBlanks(i);
  if (i >= text.size() || text[i] != '"')
    return false;
  for (++i; i < text.size() && text[i] != '"';) {
    const auto at = narrow<uint32_t>(i);
    if (text[i] != '\\') {
      const size_t end = std::min(text.find_first_of("\\\"", i), text.size());
      out.copy(text.slice(i, end), at);
      i = end;
      continue;
    }
    const char a = i + 1 < text.size() ? text[i + 1] : '\0', b = i + 2 < text.size() ? text[i + 2] : '\0';
    if (llvm::isHexDigit(a) && llvm::isHexDigit(b)) {
      out.replace(std::string(1, static_cast<char>(llvm::hexDigitValue(a) * 16 + llvm::hexDigitValue(b))),
                  {at, at + 3});
      i += 3;
    } else {
      out.replace(std::string(1, a == 'n' ? '\n' : a == 't' ? '\t' : a), {at, at + 2});
      i += 2;
    }
  }
  return i++ < text.size();
}

/// Returns whether the module is for another architecture. `target triple = "arm64-apple-macosx"` applies to the whole
/// module. MLIR's `llvm.target_triple` may be that of a host module that contains others.
bool LlvmReader::isOfOtherMachine(InlineStatement &read, size_t keyword) {
  if (!triples.countBefore(text, keyword))
    return false;
  const bool isOther = !text.drop_front(text.find('"', triples.last) + 1).starts_with("nvptx");
  const bool isOfMlir = text.take_front(triples.last).ends_with("_");
  read.isDevice = !isOther;
  return isOther && !isOfMlir;
}

/// Records declarations in `module asm ".shared .b32 x;"`, which all statements can refer to.
void LlvmReader::noteModuleAssembly(size_t i) {
  MappedText line;
  if (literal(i, line))
    for (const DeclaredName &one : declaredNames(line.text()))
      result.deviceNames.push_back(one.name);
}

/// Records `@x = addrspace(1) global i32 0` and `define void @f()`.
void LlvmReader::noteGlobals() {
  auto note = [&](llvm::StringRef rest) {
    result.deviceNames.push_back(
        rest.take_while([](char c) { return llvm::isAlnum(c) || c == '_' || c == '$' || c == '.'; }).str());
  };
  for (size_t i = text.find("\n@"); i != llvm::StringRef::npos; i = text.find("\n@", i + 1))
    note(text.drop_front(i + 2));
  for (const llvm::StringLiteral word : {llvm::StringLiteral("\ndefine "), llvm::StringLiteral("\ndeclare ")})
    for (size_t i = text.find(word); i != llvm::StringRef::npos; i = text.find(word, i + 1))
      note(text.drop_front(i + 1).split('\n').first.split('@').second);
}

void LlvmReader::statement(size_t keyword, size_t i) {
  InlineStatement read;
  read.style = TemplateStyle::Llvm;
  read.isDevice = true;
  skipBlanks(i);
  // Skip words before the text: `sideeffect`, `asm_dialect = att`.
  while (i < text.size() && text[i] != '"' && (llvm::isAlnum(text[i]) || llvm::StringRef("_= \t").contains(text[i])))
    ++i;
  read.isVolatile = text.slice(keyword, i).contains("side");
  if (!literal(i, read.text))
    return;
  skipBlanks(i);
  MappedText constraints;
  if (i >= text.size() || text[i] != ',' || !literal(++i, constraints))
    return;
  read.place = {narrow<uint32_t>(keyword), narrow<uint32_t>(i)};
  read.clobberPlace = narrow<uint32_t>(i) - 1;
  read.clobberText = constraints.text().empty() ? "~{memory}" : ",~{memory}";
  read.keyword = {read.place.begin, read.place.begin + 3};
  read.function = functions.countBefore(text, keyword);
  if (isOfOtherMachine(read, keyword)) {
    result.skipped.push_back({read.place, forOtherMachine.str()});
    return;
  }
  readConstraints(constraints, read);
  result.statements.push_back(std::move(read));
}

InlineText LlvmReader::read() {
  for (size_t i = text.find("asm"); i != llvm::StringRef::npos; i = text.find("asm", i + 1)) {
    const bool isMlir = text.take_front(i).ends_with("llvm.inline_");
    const char before = i ? text[i - 1] : ' ', behind = i + 3 < text.size() ? text[i + 3] : ' ';
    if (isMlir || (!llvm::isAlnum(before) && !llvm::StringRef("_.$%@\"").contains(before) && llvm::isSpace(behind)))
      text.take_front(i).rtrim().ends_with("module") ? noteModuleAssembly(i + 3) : statement(i, i + 3);
  }
  if (!result.statements.empty())
    noteGlobals();
  return std::move(result);
}

} // namespace

InlineText readLlvm(const SourceBuffer &source) { return LlvmReader(source).read(); }

} // namespace ptxray
