#pragma once
// A queue of asynchronous work. Work is performed when a caller waits for it, or when the client has been idle for a
// while. It is delayed as long as a GPU might delay it, so that missing synchronisation becomes visible.
#include "Work.h"
#include <deque>
#include <memory>
#include <utility>

namespace ptxray::driver {

struct Task {
  uint64_t number = 0; // position in the order of starts
  std::shared_ptr<Stream> stream;
  Context *context = nullptr;
  Work work;
};

/// While an object exists, the default stream of this thread's calls is per-thread.
class DefaultOfThread {
public:
  DefaultOfThread() : before(std::exchange(isSet, true)) {}
  ~DefaultOfThread() { isSet = before; }
  DefaultOfThread(const DefaultOfThread &) = delete;
  DefaultOfThread &operator=(const DefaultOfThread &) = delete;
  static inline thread_local bool isSet = false;

private:
  bool before;
};

/// Returns the stream of a handle, including default streams, or null.
std::shared_ptr<Stream> streamOf(void *handle);
/// Starts work on a stream, or adds it as a node if the stream is captured.
Result start(void *stream, Work work);
/// Performs the work on a stream, and everything that it depends on. Returns the error to report.
Result finish(void *stream);
/// Performs the work on the default stream, for a synchronous call. Returns the error to report.
Result finishDefault();
/// Performs the work up to a moment. Returns the error to report.
Result finish(const Moment &moment);
/// Performs all work. Returns the error to report.
Result finishAll();
/// Performs all work. The next call that waits returns the error.
void finishPending();

} // namespace ptxray::driver
