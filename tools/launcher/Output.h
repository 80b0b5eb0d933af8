#pragma once
// This writes the buffers that `--out` asks for after a launch, and compares them with what `--expect` says.
#include "Compare.h"
#include "LaunchRequest.h"
#include <functional>

namespace ptxray::launcher {

/// Prints or writes a buffer or variable: `hex`, a type, `file:PATH` or `npy:PATH`. Returns what is wrong.
std::string writeOutput(const LaunchRequest &options, const std::string &name, const std::string &how,
                        const Bytes &bytes);
/// Flushes standard output. Returns what is wrong if not all of it could be written.
std::string flushOutput();

/// Compares what buffers and variables hold with what is expected of them, and says in a line each how it went; of a
/// recorded launch in one line what is exactly as recorded. What is as expected is said only if that is wanted. Returns
/// whether all is.
Expected<bool> isAsExpected(const LaunchRequest &options, bool saysAll,
                            const std::function<Expected<Bytes>(const std::string &name)> &contents,
                            const std::function<void(const std::string &line)> &say);

/// Prints the shortest, the median and the longest time, given in microseconds.
void printTimes(const std::string &kernel, std::vector<double> times);

} // namespace ptxray::launcher
