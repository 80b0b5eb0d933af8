#include "Diagnostics/Fingerprint.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

namespace ptxray {

/// Returns the words of a line without blanks, comments, and the numbers of registers and labels (`%r12`, `$L__BB0_3`).
static std::string wordsOf(llvm::StringRef line) {
  std::string out;
  bool name = false;
  for (char c : line.take_front(line.find("//"))) {
    if (c == '%' || c == '$')
      name = true;
    else if (!llvm::isAlnum(c) && c != '_')
      name = false;
    if (!llvm::isSpace(c) && !(name && llvm::isDigit(c)))
      out += c;
  }
  return out;
}

std::vector<std::string> fingerprints(const FileReport &report) {
  std::vector<std::string> out;
  llvm::StringMap<unsigned> above;
  // Keyed by rule and line, because a long line may contain many.
  llvm::DenseMap<std::pair<unsigned, uint32_t>, std::string> known;
  for (const Diagnostic &d : report.diagnostics) {
    const uint32_t line = report.source ? report.source->lineColumn(d.range.begin).line : 0;
    std::string &print = known[{static_cast<unsigned>(d.id), line}];
    if (print.empty()) {
      std::string key = info(d.id).id.str() + '\n';
      if (report.source)
        key += wordsOf(report.source->lineText(line));
      llvm::raw_string_ostream(print) << llvm::format_hex_no_prefix(llvm::xxHash64(key), 16);
    }
    const unsigned nth = ++above[print];
    out.push_back(print + ":" + std::to_string(nth));
  }
  return out;
}

} // namespace ptxray
