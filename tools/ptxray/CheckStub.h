#pragma once
// Stands in until lib/Check is there.
#include "Diagnostics/Diagnostic.h"
#include "Source/SourceBuffer.h"

namespace ptxray {

struct CheckOptions {
  std::string target, ptx, arch;
  bool pedantic = false;
};
struct ModuleSummary {
  std::string ptx, target;
};
inline ModuleSummary checkSource(const SourceBuffer &, const CheckOptions &, DiagnosticSink &) {
  return {};
}

} // namespace ptxray
