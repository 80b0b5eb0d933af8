#include "Queue.h"
#include "Capture.h"
#include "Source/Threads.h"
#include "State.h"
#include <chrono>
#include <thread>
#include <unistd.h>

namespace ptxray::driver {

static constexpr size_t mostPending = 1024; // a driver also waits when so much work is pending
static constexpr std::chrono::milliseconds idleTime{50};

std::shared_ptr<Stream> streamOf(void *handle) {
  Context &context = *contextStack().back();
  switch (const auto number = reinterpret_cast<uintptr_t>(handle); number || !DefaultOfThread::isSet ? number : 2) {
  case 0:
  case 1: return context.legacy;
  case 2: {
    auto &own = context.ofThreads[std::this_thread::get_id()];
    if (!own)
      own = std::make_shared<Stream>();
    return own;
  }
  default: break;
  }
  const auto found = state().streams.find(handle);
  return found == state().streams.end() ? nullptr : found->second;
}

/// Takes the tasks of some streams out of the queue, each up to a number, in the order in which they were started. Also
/// takes all tasks that these depend on, and those that the default stream of a context waits for.
static std::deque<Task> take(std::map<const Stream *, uint64_t> limits, const Context *defaultOf = nullptr) {
  State &s = state();
  std::map<const Context *, uint64_t>
      // From a context to the number up to which the tasks of all streams that synchronise with its default stream are
      // needed.
      blocking;
  if (defaultOf)
    blocking[defaultOf] = ~uint64_t(0);
  std::deque<Task> taken, left;
  const auto raise = [](auto &limit, uint64_t number) { limit = std::max(limit, number); };
  for (; !s.pending.empty(); s.pending.pop_back()) {
    Task &task = s.pending.back();
    const bool isBlocking = !(task.stream->flags & 1), isDefault = task.stream == task.context->legacy;
    if (limits[task.stream.get()] < task.number && (!isBlocking || blocking[task.context] < task.number)) {
      left.push_front(std::move(task));
      continue;
    }
    if (isDefault)
      raise(blocking[task.context], task.number);
    else if (isBlocking)
      raise(limits[task.context->legacy.get()], task.number);
    if (const auto *wait = std::get_if<WaitWork>(&task.work))
      raise(limits[wait->moment->stream], wait->moment->number);
    taken.push_front(std::move(task));
  }
  s.pending = std::move(left);
  return taken;
}

/// Runs tasks that were taken out of the queue. After a fault, a context does nothing any more.
static void run(std::deque<Task> tasks) {
  State &s = state();
  s.worker = std::this_thread::get_id();
  for (const Task &task : tasks) {
    Context &context = *task.context;
    if (const auto *record = std::get_if<RecordWork>(&task.work))
      perform(*record, context);
    else if (context.failed == Success)
      if (const Result result = perform(task.work, context); result != Success && context.failed == Success)
        context.noted = result;
  }
  s.worker = {};
  s.changed.notify_all();
}

/// Waits until no other thread runs tasks. Returns false if this thread does: then a function of the client made the
/// call.
static bool waitForWorker() {
  State &s = state();
  if (s.worker == std::this_thread::get_id())
    return false;
  while (s.worker != std::thread::id()) {
    const Unlocked unlocked;
    std::unique_lock lock(s.changing);
    s.changed.wait_until(lock, std::chrono::system_clock::now() +
                                   std::chrono::milliseconds(1)); // glibc 2.28 supports this clock
  }
  return true;
}

/// Returns the error of a context for a call that waits.
static Result errorOf(Context &context) {
  if (context.failed != Success)
    return context.failed;
  return std::exchange(context.noted, Success);
}

static Result finishUpTo(std::map<const Stream *, uint64_t> limits, const Context *defaultOf = nullptr) {
  if (!waitForWorker())
    return NotPermitted;
  if (!state().pending.empty())
    run(take(std::move(limits), defaultOf));
  return errorOf(*contextStack().back());
}

Result finish(void *handle) {
  const auto stream = streamOf(handle);
  return stream ? finishUpTo({{stream.get(), ~uint64_t(0)}}) : InvalidHandle;
}

Result finishDefault() {
  constexpr uint64_t all = ~uint64_t(0);
  const Context &context = *contextStack().back();
  const Stream *own = streamOf(nullptr).get(), *legacy = context.legacy.get();
  return finishUpTo({{own, all}, {legacy, all}}, own == legacy ? &context : nullptr);
}

Result finish(const Moment &moment) { return moment.isDone ? Success : finishUpTo({{moment.stream, moment.number}}); }

Result finishAll() {
  if (!waitForWorker())
    return NotPermitted;
  run(std::exchange(state().pending, {}));
  return contextStack().empty() ? Success : errorOf(*contextStack().back());
}

void finishPending() {
  if (waitForWorker())
    run(std::exchange(state().pending, {}));
}

/// Runs pending tasks when the client calls nothing for a while, since a GPU also runs them at some time.
static void workWhenIdle() {
  State &s = state();
  while (true) {
    std::this_thread::sleep_for(idleTime / 5);
    const Lock lock(s.mutex);
    if (s.isEnding)
      return;
    const auto idle = std::chrono::steady_clock::now() - s.lastCall;
    if (!s.pending.empty() && s.worker == std::thread::id() && idle > idleTime)
      run(std::exchange(s.pending, {}));
  }
}

/// Runs pending tasks when the process ends.
static void workAtEnd() {
  State &s = state();
  if (s.process != getpid())
    return;
  const Lock lock(s.mutex);
  if (s.worker == std::thread::id())
    run(std::exchange(s.pending, {}));
  s.isEnding = true;
}

Result start(void *handle, Work work) {
  State &s = state();
  const auto stream = streamOf(handle);
  if (!stream)
    return InvalidHandle;
  if (stream->capture)
    return capture(*stream, std::move(work));
  const uint64_t number = ++s.lastNumber;
  if (auto *record = std::get_if<RecordWork>(&work))
    *record->moment = {stream.get(), number, false, 0};
  if (s.isSynchronous && s.pending.empty() && s.worker == std::thread::id()) {
    std::deque<Task> one;
    one.push_back({number, stream, contextStack().back(), std::move(work)});
    run(std::move(one));
    return errorOf(*contextStack().back());
  }
  s.pending.push_back({number, stream, contextStack().back(), std::move(work)});
  if (!s.hasIdleThread && !s.isEnding) {
    s.hasIdleThread = true;
    std::atexit(workAtEnd);
    s.isSynchronous |= !startDetached(workWhenIdle);
    if (s.isSynchronous && waitForWorker())
      run(std::exchange(s.pending, {}));
  }
  if (s.pending.size() > mostPending && waitForWorker())
    run(take({{s.pending.front().stream.get(), s.pending.front().number + mostPending / 2}}));
  return Success;
}

} // namespace ptxray::driver
