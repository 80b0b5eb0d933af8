#pragma once
// Work that was started and is not done yet. It is done when something waits for it, or when the client has called
// nothing of the driver for a while: as late as a GPU may do it, so that a missing synchronisation shows.
#include "Work.h"
#include <deque>
#include <memory>
#include <utility>

namespace ptxray::driver {

struct Task {
  uint64_t number = 0; // its place in the order in which they were started
  std::shared_ptr<Stream> stream;
  Context *context = nullptr;
  Work work;
};

/// While one lives, the default stream of the calls of this thread is the thread's own.
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

/// Returns the stream of a handle, the default ones among them; null: it is of none.
std::shared_ptr<Stream> streamOf(void *handle);
/// Starts work on a stream, or makes it a node of the graph that the stream is captured into.
Result start(void *stream, Work work);
/// Does what was started on a stream, and all that it has to wait for. Returns the error that is to be reported.
Result finish(void *stream);
/// The same of the default stream, for a call that waits for its own work.
Result finishDefault();
/// Does what was started up to a moment.
Result finish(const Moment &moment);
/// Does all that was started.
Result finishAll();
/// The same, but leaves the error to the next call that waits.
void finishPending();

} // namespace ptxray::driver
