// Writes GitLab's code quality report.
#include "Diagnostics/Fingerprint.h"
#include "Render/Render.h"
#include "Source/JsonValue.h"

namespace ptxray {

static llvm::StringRef gitlabSeverity(Severity severity) {
  switch (severity) {
  case Severity::Error: return "major";
  case Severity::Warning: return "minor";
  case Severity::Pedantic: return "info";
  }
  return "";
}

void beginGitlab(llvm::raw_ostream &out) { out << "[\n"; }

void renderGitlab(const FileReport &report, const RenderOptions &, llvm::raw_ostream &out) {
  const std::vector<std::string> prints = fingerprints(report);
  for (size_t i = 0; i < report.diagnostics.size(); ++i) {
    const Diagnostic &d = report.diagnostics[i];
    const uint32_t line = report.source && !report.entry ? report.source->lineColumn(d.range.begin).line : 1;
    const Json one = {{"description", d.message()},
                      {"check_name", d.ruleText()},
                      {"fingerprint", nameOf(report) + ":" + prints[i]},
                      {"severity", gitlabSeverity(d.severity).str()},
                      {"location", {{"path", report.path}, {"lines", {{"begin", line}}}}}};
    out << (i ? ",\n" : "") << dump(one);
  }
}

void endGitlab(const Totals &, const RenderOptions &, llvm::raw_ostream &out) { out << "\n]\n"; }

} // namespace ptxray
