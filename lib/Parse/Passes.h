#pragma once
// The two parsers generated from grammar/Ptx.g4. Only their two source files see ANTLR.
#include "Parse/Builder.h"

namespace ptxray {

/// Reads one text after the other.
class FastPass {
public:
  FastPass();
  ~FastPass();
  /// Reads to the end of the text; returns false at the first fault, with the scanner at an unspecified place.
  bool run(Scanner &scanner, Builder &builder);

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

/// Reads the rest of the text from an item of the module on and reports every fault to `sink`.
void runRecoveringPass(Scanner &scanner, Builder &builder, const SourceBuffer &source, DiagnosticSink &sink);

} // namespace ptxray
