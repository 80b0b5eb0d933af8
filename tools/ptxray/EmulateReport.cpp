#include "EmulateReport.h"
#include "Source/Counted.h"
#include "Source/JsonValue.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include <algorithm>
#include <fstream>
#include <vector>

namespace ptxray {

static void add(ClientReport::Counts &to, const Json &line, const char *name) {
  const auto found = line.find(name);
  if (found == line.end() || !found->is_object())
    return;
  for (const auto &[key, count] : found->items())
    if (count.is_number_unsigned())
      to[key] += count.get<uint64_t>();
}

ClientReport readClientReport(const std::string &path) {
  ClientReport report;
  std::ifstream file(path);
  std::string text;
  while (std::getline(file, text)) {
    const Json line = Json::parse(text, nullptr, false);
    if (!line.is_object())
      continue;
    if (line.contains("begin"))
      ++report.processes, ++report.silent;
    if (!line.contains("end"))
      continue;
    report.silent -= report.silent != 0;
    add(report.kernels, line, "kernels");
    add(report.findings, line, "findings");
    add(report.refusals, line, "refusals");
    add(report.inexact, line, "inexact");
    add(report.differing, line, "differing");
    add(report.certificates, line, "certificates");
    report.exact += line.value("exact", uint64_t(0));
  }
  return report;
}

static uint64_t sumOf(const ClientReport::Counts &counts) {
  uint64_t sum = 0;
  for (const auto &[name, count] : counts)
    sum += count;
  return sum;
}

/// Prints the lines of a list, the greatest numbers first, and how many are left out.
static void list(llvm::raw_ostream &out, const ClientReport::Counts &counts) {
  constexpr size_t most = 20;
  std::vector<std::pair<std::string, uint64_t>> lines(counts.begin(), counts.end());
  llvm::stable_sort(lines, [](const auto &one, const auto &other) { return one.second > other.second; });
  for (size_t i = 0; i < std::min(most, lines.size()); ++i)
    out << "  " << lines[i].second << ' ' << lines[i].first << '\n';
  if (lines.size() > most)
    out << "  and " << lines.size() - most << " others\n";
}

bool ranNothing(const ClientReport &report) { return !report.silent && report.kernels.empty(); }

void writeClientReport(llvm::raw_ostream &out, const ClientReport &report) {
  if (!report.processes) {
    out << "ptxray: the command has not called the CUDA driver, so no kernel ran. A program that is linked statically, "
           "or "
           "that sets LD_LIBRARY_PATH itself, does not find the emulated driver: link a CUDA program with `nvcc "
           "-cudart "
           "shared`\n";
    return;
  }
  if (report.silent)
    out << "ptxray: " << report.silent << " of " << counted(report.processes, "process") << " ended without a report\n";
  if (report.silent == report.processes)
    return;
  out << "ptxray: " << counted(report.kernels.size(), "kernel") << ", launched "
      << counted(sumOf(report.kernels), "time") << " on the emulated " << report.device << '\n';
  list(out, report.kernels);
  if (!report.findings.empty()) {
    out << "ptxray: " << counted(sumOf(report.findings), "finding") << '\n';
    list(out, report.findings);
  }
  if (!report.refusals.empty()) {
    out << "ptxray: " << counted(sumOf(report.refusals), "launch") << " could not be emulated\n";
    list(out, report.refusals);
  }
  if (ranNothing(report))
    out << "ptxray: no kernel ran, so nothing was checked. The emulated driver needs PTX for " << report.device
        << " or an older GPU in the program (`-gencode arch=compute_90,code=compute_90`), and a CUDA runtime that is "
           "linked dynamically (`nvcc -cudart shared`)\n";
  else if (report.findings.empty() && report.refusals.empty())
    out << "ptxray: nothing was found\n";
  if (!report.differing.empty()) {
    out << "ptxray: " << counted(sumOf(report.differing), "launch") << " left other bytes by another schedule\n";
    list(out, report.differing);
  }
  if (!report.certificates.empty()) {
    out << "ptxray: certificates of " << counted(sumOf(report.certificates), "launch") << '\n';
    list(out, report.certificates);
  }
  if (!report.isWithFidelity)
    return;
  const uint64_t inexact = sumOf(report.inexact);
  out << "ptxray: " << report.exact << " of " << report.exact + inexact << " instructions of warps are exact\n";
  list(out, report.inexact);
}

static Json objectOf(const ClientReport::Counts &counts) {
  Json out = Json::object();
  for (const auto &[name, count] : counts)
    out[name] = count;
  return out;
}

void writeClientReportJson(llvm::raw_ostream &out, const ClientReport &report) {
  Json all = {{"version", 1},
              {"device", report.device},
              {"status", report.status},
              {"processes", report.processes},
              {"withoutReport", report.silent},
              {"kernels", objectOf(report.kernels)},
              {"findings", objectOf(report.findings)},
              {"notEmulated", objectOf(report.refusals)},
              {"differing", objectOf(report.differing)},
              {"certificates", objectOf(report.certificates)}};
  if (report.isWithFidelity) {
    all["exact"] = report.exact;
    all["notExact"] = objectOf(report.inexact);
  }
  out << dump(all, 1) << '\n';
}

} // namespace ptxray
