#include "LaunchWatch.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include <csignal>

namespace ptxray {

using namespace std::chrono_literals;

/// The launch that Ctrl-C stops.
static std::atomic<machine::Watch *> running = nullptr;

static void stop(int) {
  if (machine::Watch *watch = running)
    watch->isStopped = true;
}

LaunchWatch::LaunchWatch(machine::Watch &watch, uint64_t blocks) : watch(watch), blocks(blocks) {
  running = &watch;
  previous = std::signal(SIGINT, stop);
  if (previous == SIG_IGN) // a shell's background jobs ignore it
    std::signal(SIGINT, SIG_IGN);
  if (llvm::sys::Process::StandardErrIsDisplayed())
    shower.start([this] { show(); });
}

LaunchWatch::~LaunchWatch() {
  std::signal(SIGINT, previous);
  running = nullptr;
  {
    const std::lock_guard lock(mutex);
    isEnding = true;
  }
  hasEnded.notify_one();
  shower.join();
}

void LaunchWatch::show() {
  const auto begin = std::chrono::steady_clock::now();
  std::unique_lock lock(mutex);
  bool isShown = false;
  for (auto wait = 500ms; !hasEnded.wait_for(lock, wait, [&] { return isEnding; }); wait = 200ms) {
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    const uint64_t done = watch.blocksDone;
    llvm::errs() << "\r\033[K" << done << " of " << blocks << " blocks";
    if (done)
      llvm::errs() << llvm::format(", %.0f a second, %.0f s left", double(done) / taken.count(),
                                   taken.count() / double(done) * double(blocks - done));
    isShown = true;
  }
  if (isShown)
    llvm::errs() << "\r\033[K";
}

} // namespace ptxray
