#pragma once
// What ptxas prints, as diagnostics and tables.
#include "Diagnostics/Report.h"

namespace ptxray {

struct PtxasMessages {
  DiagnosticList diagnostics;
  std::vector<FunctionResources> functions; // with -v
  std::string rest;                         // lines that are neither
  bool refusesText = false;                 // an error of reading, not of making code: it is at a line
};

/// Of that text. A message that names a line gets the range of the instruction that is there.
PtxasMessages readMessages(llvm::StringRef printed, const SourceBuffer &source);

} // namespace ptxray
