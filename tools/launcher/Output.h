#pragma once
// This writes the buffers that `--out` asks for after a launch, and compares them with what `--expect` says.
#include "Compare.h"
#include "Options.h"
#include <functional>

namespace ptxray::launcher {

/// Prints or writes a buffer or variable: `hex`, a type, `file:PATH` or `npy:PATH`. Throws UsageError.
void writeOutput(const Options &options, const std::string &name, const std::string &how, const Bytes &bytes);
/// Flushes standard output. Throws UsageError if not all of it could be written.
void flushOutput();

/// Compares what buffers and variables hold with what is expected of them, and says in a line each how it went; of a
/// recorded launch in one line what is exactly as recorded. What is as expected is said only if that is wanted. Returns
/// whether all is.
bool isAsExpected(const Options &options, bool saysAll, const std::function<Bytes(const std::string &name)> &contents,
                  const std::function<void(const std::string &line)> &say);

/// Prints the shortest, the median and the longest time, given in microseconds.
void printTimes(const std::string &kernel, std::vector<double> times);

} // namespace ptxray::launcher
