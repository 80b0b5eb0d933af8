#pragma once
#include "Emulate/Launch.h"
#include "Source/Threads.h"
#include <condition_variable>
#include <mutex>

namespace ptxray {

/// While an object exists, Ctrl-C stops a launch, and its progress is shown on standard error if that is a terminal.
class LaunchWatch {
public:
  LaunchWatch(machine::Watch &watch, uint64_t blocks);
  ~LaunchWatch();
  LaunchWatch(const LaunchWatch &) = delete;
  LaunchWatch &operator=(const LaunchWatch &) = delete;

private:
  void show();

  machine::Watch &watch;
  const uint64_t blocks;
  void (*previous)(int);
  std::mutex mutex;
  std::condition_variable hasEnded;
  bool isEnding = false;
  HelperThreads shower; // none if standard error is not a terminal
};

} // namespace ptxray
