#pragma once
// These counts of what a client's kernels did are for the report at its end.
#include <cstdint>
#include <map>
#include <string>

namespace ptxray::driver {

struct Tally {
  std::map<std::string, uint64_t> launches;     // by kernel
  std::map<std::string, uint64_t> findings;     // by rule
  std::map<std::string, uint64_t> refusals;     // how often something could not be emulated, by the reason
  std::map<std::string, uint64_t> inexact;      // executions of instructions that are not exact, by what they are
  std::map<std::string, uint64_t> differing;    // schedules that left other bytes than the first, by kernel
  std::map<std::string, uint64_t> certificates; // launches, by kernel and what its certificate says
  uint64_t exact = 0;                           // executions of those that are
};

/// Notes that this process uses the driver, so that one that ends without a report is known.
void beginReport();

} // namespace ptxray::driver
