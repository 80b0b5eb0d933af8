#pragma once
// Checks one PTX text from its first line to its last: the step that calls all others.
#include "Diagnostics/Report.h"
#include "Module/Header.h"

namespace ptxray {

class KnownFunctions;
class Parser;
class Session;

/// The findings in a text, before its comments and the options are applied.
struct CheckedText {
  DiagnosticList diagnostics;
  std::vector<Range> comments;  // that speak to ptxray
  std::vector<Range> functions; // after the first of those
  ModuleSummary header;
  std::optional<InlineSummary> inlined; // of a source with assembly in it
};

CheckedText checkModule(const SourceBuffer &source, const CheckOptions &options, Session &session);
/// The same for a text that was checked before, if its edits since then are known.
CheckedText recheckModule(const SourceBuffer &source, const CheckOptions &options, Session &session,
                          KnownFunctions &known);
/// The same for a text that was read already; the sink holds its errors of syntax. Instructions that begin outside of
/// the range are skipped.
void checkParsed(const Parser &parsed, const SourceBuffer &source, const CheckOptions &options, Range instructions,
                 DiagnosticSink &sink);

} // namespace ptxray
