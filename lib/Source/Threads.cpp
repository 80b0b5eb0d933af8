// Compiled with exceptions, because the standard library throws one if a thread cannot be started (lib/CMakeLists.txt).
#include "Source/Threads.h"
#include <system_error>

namespace ptxray {

/// Starts a thread. Returns a thread that is not joinable if the system cannot start one.
static std::thread started(std::function<void()> work) {
#ifdef __wasm__ // has one thread
  (void)work;
  return {};
#else
  try {
    return std::thread(std::move(work));
  } catch (const std::system_error &) {
    return {};
  }
#endif
}

bool HelperThreads::start(std::function<void()> work) {
  std::thread thread = started(std::move(work));
  if (!thread.joinable())
    return false;
  threads.push_back(std::move(thread));
  return true;
}

void HelperThreads::join() {
  for (std::thread &thread : threads)
    thread.join();
  threads.clear();
}

bool startDetached(std::function<void()> work) {
  std::thread thread = started(std::move(work));
  if (!thread.joinable())
    return false;
  thread.detach();
  return true;
}

} // namespace ptxray
