// Streams and events. What is started is complete when the call returns, so that there is nothing to wait for.
#include "State.h"
#include <chrono>

using namespace ptxray::driver;

/// Whether a handle is a stream: the default ones are the numbers 0, 1 and 2.
static bool isStream(void *stream) {
  return reinterpret_cast<uintptr_t>(stream) <= 2 || state().streams.contains(stream);
}
static Event *eventOf(void *event) { return state().events.contains(event) ? static_cast<Event *>(event) : nullptr; }

PTXRAY_API cuStreamCreateWithPriority(void **stream, unsigned flags, int priority) {
  PTXRAY_BEGIN;
  if (!stream || flags > 1)
    return InvalidValue;
  *stream = new Stream{flags, priority};
  state().streams.insert(*stream);
  return Success;
}
PTXRAY_API cuStreamCreate(void **stream, unsigned flags) { return cuStreamCreateWithPriority(stream, flags, 0); }

PTXRAY_API cuStreamDestroy_v2(void *stream) {
  PTXRAY_BEGIN;
  if (!state().streams.erase(stream))
    return InvalidHandle;
  delete static_cast<Stream *>(stream);
  return Success;
}

PTXRAY_API cuStreamSynchronize(void *stream) {
  PTXRAY_BEGIN;
  return isStream(stream) ? Success : InvalidHandle;
}
PTXRAY_API cuStreamQuery(void *stream) { return cuStreamSynchronize(stream); }

PTXRAY_API cuStreamWaitEvent(void *stream, void *event, unsigned) {
  PTXRAY_BEGIN;
  return isStream(stream) && eventOf(event) ? Success : InvalidHandle;
}

PTXRAY_API cuStreamGetFlags(void *stream, unsigned *flags) {
  PTXRAY_BEGIN;
  if (!flags || !isStream(stream))
    return flags ? InvalidHandle : InvalidValue;
  *flags = state().streams.contains(stream) ? static_cast<Stream *>(stream)->flags : 0;
  return Success;
}

PTXRAY_API cuStreamGetPriority(void *stream, int *priority) {
  PTXRAY_BEGIN;
  if (!priority || !isStream(stream))
    return priority ? InvalidHandle : InvalidValue;
  *priority = state().streams.contains(stream) ? static_cast<Stream *>(stream)->priority : 0;
  return Success;
}

PTXRAY_API cuStreamGetCtx(void *stream, void **context) {
  PTXRAY_BEGIN;
  if (!context || !isStream(stream))
    return context ? InvalidHandle : InvalidValue;
  *context = contextStack().back();
  return Success;
}

PTXRAY_API cuStreamGetId(void *stream, unsigned long long *id) {
  PTXRAY_BEGIN;
  if (!id || !isStream(stream))
    return id ? InvalidHandle : InvalidValue;
  *id = reinterpret_cast<uintptr_t>(stream);
  return Success;
}

PTXRAY_API cuStreamIsCapturing(void *stream, int *status) {
  PTXRAY_BEGIN;
  if (!status || !isStream(stream))
    return status ? InvalidHandle : InvalidValue;
  *status = 0;
  return Success;
}

PTXRAY_API cuStreamAddCallback(void *stream, void (*function)(void *, Result, void *), void *data, unsigned) {
  if (const Result bad = ready())
    return bad;
  if (!function)
    return InvalidValue;
  function(stream, Success, data);
  return Success;
}

PTXRAY_API cuStreamAttachMemAsync(void *stream, Address, size_t, unsigned) { return cuStreamSynchronize(stream); }

// ---- events

PTXRAY_API cuEventCreate(void **event, unsigned flags) {
  PTXRAY_BEGIN;
  if (!event || flags > 7)
    return InvalidValue;
  *event = new Event;
  state().events.insert(*event);
  return Success;
}

PTXRAY_API cuEventDestroy_v2(void *event) {
  PTXRAY_BEGIN;
  if (!state().events.erase(event))
    return InvalidHandle;
  delete static_cast<Event *>(event);
  return Success;
}

PTXRAY_API cuEventRecord(void *event, void *stream) {
  PTXRAY_BEGIN;
  Event *found = eventOf(event);
  if (!found || !isStream(stream))
    return InvalidHandle;
  using Clock = std::chrono::steady_clock;
  found->isRecorded = true;
  found->milliseconds = std::chrono::duration<double, std::milli>(Clock::now().time_since_epoch()).count();
  return Success;
}
PTXRAY_API cuEventRecordWithFlags(void *event, void *stream, unsigned) { return cuEventRecord(event, stream); }

PTXRAY_API cuEventQuery(void *event) {
  PTXRAY_BEGIN;
  return eventOf(event) ? Success : InvalidHandle;
}
PTXRAY_API cuEventSynchronize(void *event) { return cuEventQuery(event); }

PTXRAY_API cuEventElapsedTime(float *milliseconds, void *from, void *to) {
  PTXRAY_BEGIN;
  const Event *begin = eventOf(from), *end = eventOf(to);
  if (!milliseconds)
    return InvalidValue;
  if (!begin || !end || !begin->isRecorded || !end->isRecorded)
    return InvalidHandle;
  *milliseconds = static_cast<float>(end->milliseconds - begin->milliseconds);
  return Success;
}
PTXRAY_API cuEventElapsedTime_v2(float *milliseconds, void *from, void *to) {
  return cuEventElapsedTime(milliseconds, from, to);
}
