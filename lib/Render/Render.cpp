#include "Render/Render.h"

namespace ptxray {

void Totals::add(const FileReport &report) {
  ++(report.entry ? entries : files);
  unreadable += !report.source;
  if (report.inlined && report.inlined->statements) {
    ++sources;
    statements += report.inlined->statements;
    for (const InlineSummary::Skipped &one : report.inlined->skipped)
      ++skipped[one.reason];
  }
  for (const Diagnostic &d : report.diagnostics) {
    if (report.source)
      ++(d.severity == Severity::Error ? errors : warnings);
    fixable += d.fix && d.fix->safe;
    unsafe += d.fix && !d.fix->safe;
    RuleTotal &rule = rules[d.id];
    ++rule.count;
    if (d.spec.manual.empty() || d.spec.manual == rule.lastSection)
      continue;
    rule.sections.insert(d.spec.manual);
    rule.lastSection = d.spec.manual;
  }
}

std::string nameOf(const FileReport &report) { return report.path + (report.entry ? ":" + report.entry->name : ""); }

std::string pageOfRule(const RenderOptions &options, llvm::StringRef rule) {
  const llvm::StringRef site = options.site.rtrim('/');
  return site.empty() ? "" : (site + "/rules/" + rule.split(':').first + ".html").str();
}

llvm::StringRef severityName(Severity severity) {
  switch (severity) {
  case Severity::Error: return "error";
  case Severity::Warning: return "warning";
  case Severity::Pedantic: return "pedantic";
  }
  return "";
}

} // namespace ptxray
