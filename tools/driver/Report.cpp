// What is said when a client ends, if PTXRAY_REPORT asks for it: kernels, and what was found.
#include "State.h"
#include <cstdio>
#include <cstdlib>

namespace ptxray::driver {

__attribute__((destructor)) static void report() {
  const State &s = state();
  if (!std::getenv("PTXRAY_REPORT") || !s.isInitialised)
    return;
  unsigned long long launches = 0;
  for (const auto &[name, count] : s.launches)
    launches += count;
  // LLVM's streams are gone by now.
  std::fprintf(stderr, "ptxray: %zu kernels launched %llu times as %s\n", s.launches.size(), launches,
               s.chip->target.data());
  for (const auto &[name, count] : s.launches)
    std::fprintf(stderr, "  %llu %s\n", static_cast<unsigned long long>(count), name.c_str());
  if (s.findings.empty())
    std::fputs("ptxray: nothing was found\n", stderr);
  for (const auto &[rule, count] : s.findings)
    std::fprintf(stderr, "ptxray: found %llu %s\n", static_cast<unsigned long long>(count), rule.c_str());
}

} // namespace ptxray::driver
