#pragma once
// One PTX text, checked from its first line to its last: the step that calls all others.
#include "Diagnostics/Report.h"
#include "Module/Header.h"

namespace ptxray {

class KnownFunctions;
class Parser;
class Session;

/// What is found in a text, before its comments and the options have their say.
struct CheckedText {
  DiagnosticList diagnostics;
  std::vector<Range> comments;  // that speak to ptxray
  std::vector<Range> functions; // after the first of those
  ModuleSummary header;
  std::optional<InlineSummary> inlined; // of a source with assembly in it
};

CheckedText checkModule(const SourceBuffer &source, const CheckOptions &options, Session &session);
/// The same of a text that was checked before, if it is known how it was edited since.
CheckedText recheckModule(const SourceBuffer &source, const CheckOptions &options, Session &session,
                          KnownFunctions &known);
/// The same of a text that is read already: the sink holds what is wrong with its syntax. Instructions that begin
/// outside of the range are passed over.
void checkParsed(const Parser &parsed, const SourceBuffer &source, const CheckOptions &options, Range instructions,
                 DiagnosticSink &sink);

} // namespace ptxray
