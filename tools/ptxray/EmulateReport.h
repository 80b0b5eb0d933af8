#pragma once
// The report of `ptxray emulate`: what all processes of a command did on the emulated GPU.
#include "llvm/Support/raw_ostream.h"
#include <cstdint>
#include <map>
#include <string>

namespace ptxray {

struct ClientReport {
  using Counts = std::map<std::string, uint64_t>;

  std::string device;
  bool isWithFidelity = false;
  int status = 0;         // exit status of the command
  unsigned processes = 0; // number of processes that used the driver
  unsigned silent = 0;    // processes that ended without a report
  Counts kernels, findings, refusals, inexact, differing, certificates;
  uint64_t exact = 0;
};

/// Combines the lines that the driver wrote.
ClientReport readClientReport(const std::string &path);
/// Returns whether certainly no kernel was launched, so that nothing was checked.
bool ranNothing(const ClientReport &report);
void writeClientReport(llvm::raw_ostream &out, const ClientReport &report);
void writeClientReportJson(llvm::raw_ostream &out, const ClientReport &report);

} // namespace ptxray
