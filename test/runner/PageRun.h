#pragma once
// Examples on the pages of rules, and launches of those that have a kernel to run.
#include "Check/Checker.h"
#include "Diagnostics/Diagnostic.h"

namespace ptxray::test {

struct Example {
  std::string text;
  std::string arch;                   // the architecture of "```ptx --arch=sm_90"
  Linking linking = Linking::Unknown; // the linking of "```ptx --link=whole"
  bool isCuda = false;                // true for "```cuda"
  bool isRun = false;                 // true for "```ptx --run": a module
  bool checksNumbers = false;         // true for "```ptx --run --trap-nan"
  bool counts = false;                // true for "```ptx --run --counters"
};

/// Returns `id: message` for each finding.
std::vector<std::string> textsOf(const DiagnosticList &diagnostics);

/// Returns the findings of a launch of the only kernel, with one block of 64 threads and 256 bytes of zeros for each
/// parameter. PageRun.cpp is part of builds with the machine.
std::vector<std::string> findingsOfRun(const Example &example);

} // namespace ptxray::test
