#pragma once
// One text, checked from its first line to its last: the step that calls all others.
#include "Diagnostics/Diagnostic.h"
#include "Module/Header.h"
#include "Parse/Parse.h"
#include "Source/SourceBuffer.h"

namespace ptxray {

class KnownFunctions;
class Session;

/// Whether the options want to see a diagnostic; makes it as severe as they want it.
bool isWanted(Diagnostic &diagnostic, const CheckOptions &options);

/// The sink holds what is left by the options and the comments of the text, by place.
ModuleSummary checkSource(const SourceBuffer &source, const CheckOptions &options, DiagnosticSink &sink);
/// The same, as one of many texts.
ModuleSummary checkSource(const SourceBuffer &source, const CheckOptions &options, DiagnosticSink &sink,
                          Session &session);
/// The same of a text that was checked before, if it is known how it was edited since.
ModuleSummary checkSource(const SourceBuffer &source, const CheckOptions &options, DiagnosticSink &sink,
                          Session &session, KnownFunctions &known);
/// The same; afterwards the parser holds the whole text, for those who ask more.
ModuleSummary checkSource(const SourceBuffer &source, const CheckOptions &options, DiagnosticSink &sink, Parser &kept);
/// The same of a text that is read already: the sink holds what is wrong with its syntax. Instructions that begin
/// outside of the range are passed over.
void checkParsed(const Parser &parsed, const SourceBuffer &source, const CheckOptions &options, Range instructions,
                 DiagnosticSink &sink);

} // namespace ptxray
