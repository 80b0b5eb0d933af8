#pragma once
// A report says what came out, and this writes the files that say so.
#include "Driver.h"
#include "Plan.h"
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ptxray::device {

struct Mismatch {
  std::string text;
  uint32_t a, b, c, found, expected;
};
/// A tally counts what came out for one instruction.
struct Tally {
  unsigned long combinations = 0, values = 0;
  unsigned long equal = 0, sequence = 0, different = 0;
  std::vector<Mismatch> examples;
  std::vector<std::string> notes;
};

constexpr unsigned examplesKept = 4;

/// Writes report.json, report.md and different.txt into a folder, and a table to standard output.
void writeReports(const Driver &driver, const Plan &plan, std::map<std::string, Tally> &tallies, double seconds,
                  const std::string &folder);

} // namespace ptxray::device
