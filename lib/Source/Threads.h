#pragma once
// Threads that share work with the thread that starts them. The system may fail to start one because of limits such as
// `ulimit -u`.
#include <functional>
#include <thread>
#include <vector>

namespace ptxray {

/// Threads that help their owner with its work. The owner can also finish the work alone.
class HelperThreads {
public:
  HelperThreads() = default;
  HelperThreads(const HelperThreads &) = delete;
  HelperThreads &operator=(const HelperThreads &) = delete;
  ~HelperThreads() { join(); }

  /// Calls `work` in a new thread. Returns false without calling it if the system cannot start a thread.
  bool start(std::function<void()> work);
  /// Waits until all threads have ended.
  void join();
  size_t size() const { return threads.size(); }

private:
  std::vector<std::thread> threads;
};

/// Calls `work` in a new thread that is not joined. Returns false without calling it if the system cannot start a
/// thread.
bool startDetached(std::function<void()> work);

} // namespace ptxray
