#pragma once
// Threads that share work with the thread that starts them. The system may refuse to start one: `ulimit -u` limits
// them.
#include <functional>
#include <thread>
#include <vector>

namespace ptxray {

/// Threads that work on what their owner also works on, so that the owner can finish it alone.
class HelperThreads {
public:
  HelperThreads() = default;
  HelperThreads(const HelperThreads &) = delete;
  HelperThreads &operator=(const HelperThreads &) = delete;
  ~HelperThreads() { join(); }

  /// Calls `work` in a new thread. Returns false, without calling it, if the system refuses to start one.
  bool start(std::function<void()> work);
  /// Waits until all threads have ended.
  void join();
  size_t size() const { return threads.size(); }

private:
  std::vector<std::thread> threads;
};

/// Calls `work` in a new thread that nobody waits for. Returns false, without calling it, if the system refuses to
/// start one.
bool startDetached(std::function<void()> work);

} // namespace ptxray
