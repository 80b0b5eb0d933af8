#pragma once
// The two parsers generated from grammar/Ptx.g4. Only their two source files see ANTLR.
#include "Parse/Builder.h"

namespace ptxray {

/// Reads to the end of the text; false at the first fault, where the scanner then is somewhere.
bool runFastPass(Scanner &scanner, Builder &builder);

/// Reads the rest of the text from an item of the module on and reports every fault to `sink`.
void runRecoveringPass(Scanner &scanner, Builder &builder, const SourceBuffer &source, DiagnosticSink &sink);

} // namespace ptxray
