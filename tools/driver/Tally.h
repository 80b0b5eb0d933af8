#pragma once
// Statistics about a client's kernels, for the report at its end.
#include <cstdint>
#include <map>
#include <string>

namespace ptxray::driver {

struct Tally {
  std::map<std::string, uint64_t> launches;     // keyed by kernel
  std::map<std::string, uint64_t> findings;     // keyed by rule
  std::map<std::string, uint64_t> refusals;     // numbers of unsupported operations, by reason
  std::map<std::string, uint64_t> inexact;      // executions of inexact instructions, by category
  std::map<std::string, uint64_t> differing;    // schedules with a result different from the first one, by kernel
  std::map<std::string, uint64_t> certificates; // number of launches, by kernel and verdict of the certificate
  uint64_t exact = 0;                           // executions of exact instructions
};

/// Records that this process uses the driver, so that a missing report is detected.
void beginReport();

} // namespace ptxray::driver
