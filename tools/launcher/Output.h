#pragma once
// Writes the buffers of `--out` after a launch, and compares buffers with those of `--expect`.
#include "Compare.h"
#include "LaunchRequest.h"
#include <functional>

namespace ptxray::launcher {

/// Prints or writes a buffer or variable: `hex`, a type, `file:PATH` or `npy:PATH`. Returns the problem, or an empty
/// string.
std::string writeOutput(const LaunchRequest &options, const std::string &name, const std::string &how,
                        const Bytes &bytes);
/// Flushes standard output. Returns the problem if writing failed, otherwise an empty string.
std::string flushOutput();

/// Compares buffers and variables with their expected contents, and passes one line per comparison to `say`. Exact
/// matches of a recorded launch share one line. Matches are reported only if `saysAll`. Returns whether all match.
Expected<bool> isAsExpected(const LaunchRequest &options, bool saysAll,
                            const std::function<Expected<Bytes>(const std::string &name)> &contents,
                            const std::function<void(const std::string &line)> &say);

/// Prints the minimum, median and maximum of times in microseconds.
void printTimes(const std::string &kernel, std::vector<double> times);

} // namespace ptxray::launcher
