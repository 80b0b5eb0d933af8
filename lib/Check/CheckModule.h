#pragma once
// One text, checked from its first line to its last: the step that calls all others.
#include "Diagnostics/Diagnostic.h"
#include "Source/SourceBuffer.h"
#include <string>

namespace ptxray {

struct CheckOptions {
  std::string target; // replaces what `.target` says; empty: as the file says
  std::string ptx;    // replaces what `.version` says
  std::string arch;   // ask also: may this module be compiled for that GPU
  bool pedantic = false;
  bool wholeProgram = false; // the module is linked with nothing: what it names it must define
  bool isFragment = false;   // functions are pieces of code: nothing is said of them as a whole
};

/// What the header says, as text: `9.0`, `sm_90a`. Empty where it says nothing.
struct ModuleSummary {
  std::string ptx;
  std::string target;
};

ModuleSummary checkSource(const SourceBuffer &source, const CheckOptions &options,
                          DiagnosticSink &sink);

} // namespace ptxray
