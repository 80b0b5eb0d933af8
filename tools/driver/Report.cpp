// What is said when a client ends, if PTXRAY_REPORT asks for it: kernels, and what was found.
#include "State.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

namespace ptxray::driver {

__attribute__((destructor)) static void report() {
  const State &s = state();
  if (!std::getenv("PTXRAY_REPORT") || !s.isInitialised)
    return;
  uint64_t launches = 0;
  for (const auto &[name, count] : s.launches)
    launches += count;
  llvm::errs() << "ptxray: " << s.launches.size() << " kernels launched " << launches << " times as " << s.chip->target
               << "\n";
  for (const auto &[name, count] : s.launches)
    llvm::errs() << "  " << count << " " << name << "\n";
  if (s.findings.empty())
    llvm::errs() << "ptxray: nothing was found\n";
  for (const auto &[rule, count] : s.findings)
    llvm::errs() << "ptxray: found " << count << " " << rule << "\n";
}

} // namespace ptxray::driver
