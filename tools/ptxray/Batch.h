#pragma once
// `ptxray check --batch`: requests as JSON lines on standard input, answers as JSON lines on standard output.
#include "Command.h"
#include "Module/CheckOptions.h"

namespace ptxray {

/// Answers until the input ends. `options`: of texts that ask for nothing else.
int runBatch(const Arguments &arguments, const CheckOptions &options);

} // namespace ptxray
