#pragma once
// `ptxray check --batch`: reads requests as JSON lines from standard input, and writes answers as JSON lines to
// standard output.
#include "Command.h"
#include "Module/CheckOptions.h"

namespace ptxray {

/// Answers requests until the input ends. `options` apply to requests without options.
int runBatch(const Arguments &arguments, const CheckOptions &options);

} // namespace ptxray
