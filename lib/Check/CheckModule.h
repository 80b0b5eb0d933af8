#pragma once
// One text, checked from its first line to its last: the step that calls all others.
#include "Module/Header.h"
#include "Source/SourceBuffer.h"

namespace ptxray {

/// Whether the options want to see a diagnostic; makes it as severe as they want it.
bool isWanted(Diagnostic &diagnostic, const CheckOptions &options);

/// The sink holds what is left by the options and the comments of the text, by place.
ModuleSummary checkSource(const SourceBuffer &source, const CheckOptions &options, DiagnosticSink &sink);

} // namespace ptxray
