// Formats any bytes. Formatting must end without a fault, change only white space, keep all findings, and leave a
// formatted text as it is.
#include "Check/Checker.h"
#include "Format/Format.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

using namespace ptxray;

/// Returns the text without white space. Nothing else may change.
static std::string inkOf(llvm::StringRef text) {
  std::string ink;
  llvm::copy_if(text, std::back_inserter(ink), [](char c) { return !llvm::isSpace(c); });
  return ink;
}

/// Returns the findings in a text, with positions that do not depend on white space.
static std::vector<std::pair<std::string, size_t>> placelessFindings(llvm::StringRef text) {
  CheckOptions options;
  options.pedantic = true;
  std::vector<std::pair<std::string, size_t>> findings;
  for (const Diagnostic &d : findingsIn(*SourceBuffer::fromText("input", text), options))
    findings.emplace_back(d.ruleText(), inkOf(text.take_front(d.range.begin)).size());
  llvm::sort(findings);
  return findings;
}

static void require(bool holds, const char *what, llvm::StringRef before, llvm::StringRef after) {
  if (holds)
    return;
  llvm::errs() << what << ":\n" << before << "\n---\n" << after << '\n';
  std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // Formatting leaves text alone that is not PTX, and nearly all inputs are not. So the input is made PTX first.
  std::string text(reinterpret_cast<const char *>(data), size);
  if (!llvm::StringRef(text).contains(".version"))
    text.insert(0, ".version 9.0\n.target sm_90a\n");
  const FormatOptions options{.indent = static_cast<uint32_t>(size % 3)};
  const std::string once = formatted(text, options), twice = formatted(once, options);
  require(inkOf(text) == inkOf(once), "more than white space changed", text, once);
  require(once == twice, "it changes again", once, twice);
  require(placelessFindings(text) == placelessFindings(once), "other findings", text, once);
  const LineSpan lines{static_cast<uint32_t>(size % 7), static_cast<uint32_t>(size % 7 + size % 5)};
  const std::string part = formatted(text, options, lines);
  require(inkOf(text) == inkOf(part), "in lines, more than white space changed", text, part);
  require(placelessFindings(text) == placelessFindings(part), "in lines, other findings", text, part);
  return 0;
}
