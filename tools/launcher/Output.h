#pragma once
// This writes the buffers that `--out` asks for after a launch, and compares them with what `--expect` says.
#include "Compare.h"
#include "Options.h"

namespace ptxray::launcher {

/// Prints or writes a buffer or variable: `hex`, a type, `file:PATH` or `npy:PATH`. Throws UsageError.
void writeOutput(const Options &options, const std::string &name, const std::string &how, const Bytes &bytes);
/// Flushes standard output. Throws UsageError if not all of it could be written.
void flushOutput();

Comparison compareExpected(const Options &options, const std::string &name, const Buffer &expected, const Bytes &found);

/// Prints the shortest, the median and the longest time, given in microseconds.
void printTimes(const std::string &kernel, std::vector<double> times);

} // namespace ptxray::launcher
