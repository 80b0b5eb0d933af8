#pragma once
// Converts the output of ptxas into diagnostics and tables.
#include "Diagnostics/Report.h"

namespace ptxray {

struct PtxasMessages {
  DiagnosticList diagnostics;
  std::vector<FunctionResources> functions; // with -v
  std::string rest;                         // all other lines
  bool refusesText =
      false; // contains an error with a line number, which comes from the parser and not from code generation
};

/// Parses messages about `source`. A message with a line number gets the range of the instruction on that line.
PtxasMessages readMessages(llvm::StringRef printed, const SourceBuffer &source);

} // namespace ptxray
