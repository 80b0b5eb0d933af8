// Writes workflow commands that annotate the lines of a pull request on GitHub.
#include "Render/Render.h"

namespace ptxray {

static std::string commandData(llvm::StringRef text, bool property) {
  std::string out;
  for (char c : escaped(text)) // removes newlines
    if (c == '%')
      out += "%25";
    else if (property && c == ':')
      out += "%3A";
    else if (property && c == ',')
      out += "%2C";
    else
      out += c;
  return out;
}

/// GitHub calls its lowest level `notice`.
static llvm::StringRef commandName(Severity severity) {
  return severity == Severity::Pedantic ? "notice" : severityName(severity);
}

/// Returns the location of a diagnostic within a PTX entry of a binary.
static std::string placeInEntry(const FileReport &report, Range range) {
  if (!report.entry || !report.source)
    return "";
  const LineColumn at = report.source->lineColumn(range.begin);
  return report.entry->name + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) + ": ";
}

void renderGithub(const FileReport &report, const RenderOptions &, llvm::raw_ostream &out) {
  for (const Diagnostic &d : report.diagnostics) {
    out << "::" << commandName(d.severity) << " title=" << commandData(d.ruleText(), true)
        << ",file=" << commandData(report.path, true);
    if (report.source && !report.entry) { // lines in a binary's entries are not lines of the file
      const LineColumn from = report.source->lineColumn(d.range.begin);
      const LineColumn to = report.source->lineColumn(d.range.end);
      out << ",line=" << from.line << ",endLine=" << to.line;
      if (from.line == to.line) // GitHub rejects columns for several lines
        out << ",col=" << from.column << ",endColumn=" << to.column;
    }
    out << "::" << commandData(placeInEntry(report, d.range) + d.message(), false) << '\n';
  }
}

} // namespace ptxray
