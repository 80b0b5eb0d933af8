// Writes the XML formats of Checkstyle and JUnit.
#include "Render/Render.h"

namespace ptxray {

/// Escapes a text for XML, which does not permit control characters.
static std::string xml(llvm::StringRef text) {
  std::string out;
  for (const char c : escaped(text))
    switch (c) {
    case '&': out += "&amp;"; break;
    case '<': out += "&lt;"; break;
    case '>': out += "&gt;"; break;
    case '"': out += "&quot;"; break;
    default: out += c;
    }
  return out;
}

static LineColumn placeOf(const FileReport &report, const Diagnostic &d) {
  return report.source && !report.entry ? report.source->lineColumn(d.range.begin) : LineColumn{};
}

void beginCheckstyle(llvm::raw_ostream &out) {
  out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<checkstyle version=\"4.3\">\n";
}

void renderCheckstyle(const FileReport &report, const RenderOptions &, llvm::raw_ostream &out) {
  out << "  <file name=\"" << xml(report.path) << "\">\n";
  for (const Diagnostic &d : report.diagnostics) {
    const LineColumn at = placeOf(report, d);
    const llvm::StringRef severity = d.severity == Severity::Pedantic ? "info" : severityName(d.severity);
    out << "    <error line=\"" << at.line << "\" column=\"" << at.column << "\" severity=\"" << severity
        << "\" message=\"" << xml(d.message()) << "\" source=\"ptxray." << d.ruleText() << "\"/>\n";
  }
  out << "  </file>\n";
}

void endCheckstyle(const Totals &, const RenderOptions &, llvm::raw_ostream &out) { out << "</checkstyle>\n"; }

void beginJunit(llvm::raw_ostream &out) {
  out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"ptxray\">\n";
}

/// Writes a file as a test case, which fails if the file has errors.
void renderJunit(const FileReport &report, const RenderOptions &, llvm::raw_ostream &out) {
  std::string failures;
  unsigned errors = 0;
  for (const Diagnostic &d : report.diagnostics) {
    if (d.severity != Severity::Error)
      continue;
    const LineColumn at = placeOf(report, d);
    ++errors;
    failures += "      <failure type=\"" + d.ruleText() + "\" message=\"" + xml(d.message()) + "\">" +
                xml(nameOf(report)) + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) + "</failure>\n";
  }
  const std::string name = xml(nameOf(report));
  out << "  <testsuite name=\"" << name << "\" tests=\"1\" failures=\"" << (errors ? 1 : 0) << "\">\n"
      << "    <testcase name=\"" << name << "\" classname=\"ptxray\">\n"
      << failures << "    </testcase>\n  </testsuite>\n";
}

void endJunit(const Totals &, const RenderOptions &, llvm::raw_ostream &out) { out << "</testsuites>\n"; }

} // namespace ptxray
