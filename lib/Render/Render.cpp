#include "Render/Render.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Format.h"

namespace ptxray {

void Totals::add(const FileReport &report) {
  ++files;
  unreadable += !report.source;
  for (const Diagnostic &d : report.diagnostics) {
    if (report.source)
      ++(d.severity == Severity::Error ? errors : warnings);
    fixable += d.fix && d.fix->safe;
    RuleTotal &rule = rules[d.id];
    ++rule.count;
    if (d.spec.manual.empty() || d.spec.manual == rule.lastSection)
      continue;
    rule.sections.insert(d.spec.manual);
    rule.lastSection = d.spec.manual;
  }
}

llvm::StringRef severityName(Severity severity) {
  switch (severity) {
  case Severity::Error: return "error";
  case Severity::Warning: return "warning";
  case Severity::Pedantic: return "pedantic";
  }
  return "";
}

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
      stream << llvm::format("<U+%04X>", codepoint);
      p = next;
    } else
      stream << llvm::format("<%02X>", *p++);
  }
  return out;
}

} // namespace ptxray
