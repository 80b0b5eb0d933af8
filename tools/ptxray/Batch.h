#pragma once
// `ptxray check --batch`: requests as JSON lines on standard input, answers as JSON lines on standard output.
#include "Command.h"
#include "Module/CheckOptions.h"

namespace ptxray {

/// Answers requests until the input ends. `options` apply to texts that set none.
int runBatch(const Arguments &arguments, const CheckOptions &options);

} // namespace ptxray
