#pragma once
// Turns the output of ptxas into diagnostics and tables.
#include "Diagnostics/Report.h"

namespace ptxray {

struct PtxasMessages {
  DiagnosticList diagnostics;
  std::vector<FunctionResources> functions; // with -v
  std::string rest;                         // lines that are neither
  bool refusesText = false;                 // an error of reading, not of making code: it is at a line
};

/// Reads messages about that text. A message that names a line gets the range of the instruction in it.
PtxasMessages readMessages(llvm::StringRef printed, const SourceBuffer &source);

} // namespace ptxray
