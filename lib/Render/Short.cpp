// Writes one line per diagnostic, for grep, vim's errorformat and problem matchers.
#include "Render/Render.h"

namespace ptxray {

void renderShort(const FileReport &report, const RenderOptions &, llvm::raw_ostream &out) {
  for (const Diagnostic &d : report.diagnostics) {
    const LineColumn at = report.source ? report.source->lineColumn(d.range.begin) : LineColumn{};
    // Readers of this format know only errors and warnings.
    out << escaped(nameOf(report)) << ':' << at.line << ':' << at.column << ": "
        << (d.severity == Severity::Error ? "error" : "warning") << ": " << escaped(d.message()) << " [" << d.ruleText()
        << "]\n";
  }
}

} // namespace ptxray
