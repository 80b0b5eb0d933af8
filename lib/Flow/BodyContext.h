#pragma once
#include "Module/ModuleState.h"

namespace ptxray {

/// What rules about a body know besides the body, and where they report.
struct BodyContext {
  ModuleState &module;
  const CheckOptions &options;
  DiagnosticSink &sink;
};

} // namespace ptxray
