// Writes the format of Reviewdog.
#include "Diagnostics/Manual.h"
#include "Render/Render.h"
#include "Source/JsonValue.h"

namespace ptxray {

static Json range(const SourceBuffer &source, Range range) {
  auto place = [&](uint32_t offset) -> Json {
    const LineColumn at = source.lineColumn(offset);
    return {{"line", at.line}, {"column", at.column}};
  };
  return {{"start", place(range.begin)}, {"end", place(range.end)}};
}

static Json diagnostic(const FileReport &report, const Diagnostic &d) {
  Json location = {{"path", report.path}};
  if (report.source && !report.entry)
    location["range"] = range(*report.source, d.range);
  Json code = {{"value", d.ruleText()}};
  if (const ManualSection *section = findManualSection(d.spec.manual))
    code["url"] = section->url();
  Json out = {{"message", d.message()},
              {"location", std::move(location)},
              {"severity", d.severity == Severity::Error     ? "ERROR"
                           : d.severity == Severity::Warning ? "WARNING"
                                                             : "INFO"},
              {"code", std::move(code)}};
  if (!d.fix || !report.source || report.entry)
    return out;
  out["suggestions"] = Json::array();
  for (const Edit &edit : d.fix->edits)
    out["suggestions"].push_back({{"range", range(*report.source, edit.range)}, {"text", edit.text.str()}});
  return out;
}

void beginRdjson(llvm::raw_ostream &out) { out << R"({"source":{"name":"ptxray"},"diagnostics":[)" << '\n'; }

void renderRdjson(const FileReport &report, const RenderOptions &, llvm::raw_ostream &out) {
  for (size_t i = 0; i < report.diagnostics.size(); ++i)
    out << (i ? ",\n" : "") << dump(diagnostic(report, report.diagnostics[i]));
}

void endRdjson(const Totals &, const RenderOptions &, llvm::raw_ostream &out) { out << "\n]}\n"; }

} // namespace ptxray
