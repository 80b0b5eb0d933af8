#include "Progress.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

namespace ptxray {

using namespace std::chrono_literals;

Progress::Progress(size_t total, bool wanted, Clock::time_point begin)
    : total(total), enabled(wanted && total > 1 && llvm::sys::Process::StandardErrIsDisplayed()), next(begin + 500ms) {}

void Progress::show(size_t done, unsigned errors) {
  if (!enabled || Clock::now() < next)
    return;
  next = Clock::now() + 100ms;
  shown = true;
  llvm::errs() << "\r\033[K" << done << " of " << total << " files, " << errors << (errors == 1 ? " error" : " errors");
}

void Progress::clear() {
  if (shown)
    llvm::errs() << "\r\033[K";
  shown = false;
}

} // namespace ptxray
