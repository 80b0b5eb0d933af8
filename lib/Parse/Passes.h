#pragma once
// The two parsers generated from grammar/Ptx.g4. Only their two source files depend on ANTLR.
#include "Parse/Builder.h"

namespace ptxray {

/// Parses one module at a time, and stops at the first error.
class FastPass {
public:
  FastPass();
  ~FastPass();
  /// Parses to the end of the text. Returns false at the first error; the position of the scanner is then unspecified.
  bool run(Scanner &scanner, Builder &builder);

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

/// Parses the rest of the text, which begins with an item of the module, and reports every error to `sink`.
void runRecoveringPass(Scanner &scanner, Builder &builder, const SourceBuffer &source, DiagnosticSink &sink);

} // namespace ptxray
