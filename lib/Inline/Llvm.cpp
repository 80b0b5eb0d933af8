// Inline assembly in LLVM's assembly and in MLIR.
#include "Inline/Constraints.h"
#include "Inline/Readers.h"
#include "Source/Narrow.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace ptxray {
namespace {

class LlvmReader {
public:
  explicit LlvmReader(const SourceBuffer &source) : text(source.text()) {}
  InlineText read();

private:
  void statement(size_t keyword, size_t i);
  void skipBlanks(size_t &i) const {
    while (i < text.size() && llvm::isSpace(text[i]))
      ++i;
  }
  bool literal(size_t &i, MappedText &out) const;

  llvm::StringRef text;
  InlineText result;
};

/// `"...\0A..."`; MLIR has `\n` too.
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

void LlvmReader::statement(size_t keyword, size_t i) {
  InlineStatement read;
  read.style = TemplateStyle::Llvm;
  read.isDevice = true;
  skipBlanks(i);
  // What is before the text: `sideeffect`, `asm_dialect = att`.
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
  read.keyword = {read.place.begin, read.place.begin + 3};
  readConstraints(constraints, read);
  result.statements.push_back(std::move(read));
}

InlineText LlvmReader::read() {
  for (size_t i = text.find("asm"); i != llvm::StringRef::npos; i = text.find("asm", i + 1)) {
    const bool isMlir = text.take_front(i).ends_with("llvm.inline_");
    const char before = i ? text[i - 1] : ' ', behind = i + 3 < text.size() ? text[i + 3] : ' ';
    if (isMlir || (!llvm::isAlnum(before) && !llvm::StringRef("_.$%@\"").contains(before) && llvm::isSpace(behind)))
      statement(i, i + 3);
  }
  return std::move(result);
}

} // namespace

InlineText readLlvm(const SourceBuffer &source) { return LlvmReader(source).read(); }

} // namespace ptxray
