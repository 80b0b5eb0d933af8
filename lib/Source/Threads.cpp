// Compiled with exceptions, since a thread that cannot be started throws one (lib/CMakeLists.txt).
#include "Source/Threads.h"
#include <system_error>

namespace ptxray {

/// Returns a thread that cannot be joined if the system refuses to start one.
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
