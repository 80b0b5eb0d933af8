#include "Source/Escape.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Unicode.h"
#include "llvm/Support/raw_ostream.h"

namespace ptxray {

std::string escaped(llvm::StringRef text) {
  std::string out;
  llvm::raw_string_ostream stream(out);
  auto p = reinterpret_cast<const llvm::UTF8 *>(text.begin());
  auto end = reinterpret_cast<const llvm::UTF8 *>(text.end());
  while (p != end) {
    llvm::UTF32 codepoint;
    const llvm::UTF8 *next = p;
    if (llvm::isPrint(*p))
      stream << static_cast<char>(*p++);
    else if (llvm::convertUTF8Sequence(&next, end, &codepoint, llvm::strictConversion) == llvm::conversionOK) {
      if (llvm::sys::unicode::isPrintable(codepoint) && !llvm::sys::unicode::isFormatting(codepoint))
        stream.write(reinterpret_cast<const char *>(p), next - p);
      else
        stream << llvm::format("<U+%04X>", codepoint);
      p = next;
    } else
      stream << llvm::format("<%02X>", *p++);
  }
  return out;
}

std::string inOneLine(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> words;
  llvm::SplitString(text, words, " \t\r\n");
  return llvm::join(words, " ");
}

} // namespace ptxray
