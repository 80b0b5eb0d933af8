#pragma once
// Collects the results of a run, and writes them to files.
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
/// The results for one instruction.
struct Tally {
  unsigned long combinations = 0, values = 0;
  unsigned long equal = 0, sequence = 0, different = 0;
  std::vector<Mismatch> examples;
  std::vector<std::string> notes;
};

constexpr unsigned examplesKept = 4;

/// Writes report.json, report.md and different.txt to a folder, and a table to standard output.
void writeReports(const Driver &driver, const Plan &plan, std::map<std::string, Tally> &tallies, double seconds,
                  const std::string &folder);

} // namespace ptxray::device
