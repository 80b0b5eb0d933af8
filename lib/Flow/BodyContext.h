#pragma once
#include "Module/ModuleState.h"

namespace ptxray {

/// The context in which rules about a body run, including the sink for their reports.
struct BodyContext {
  ModuleState &module;
  const CheckOptions &options;
  DiagnosticSink &sink;
};

} // namespace ptxray
