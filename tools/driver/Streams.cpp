// Streams and events.
#include "Capture.h"
#include "State.h"

using namespace ptxray::driver;

static Event *eventOf(void *event) { return state().events.contains(event) ? static_cast<Event *>(event) : nullptr; }

PTXRAY_API cuStreamCreateWithPriority(void **stream, unsigned flags, int priority) {
  PTXRAY_BEGIN;
  if (!stream || flags > 1)
    return InvalidValue;
  auto made = std::make_shared<Stream>();
  made->flags = flags;
  made->priority = std::clamp(priority, -5, 0);
  *stream = made.get();
  state().streams.emplace(*stream, std::move(made));
  return Success;
}
PTXRAY_API cuStreamCreate(void **stream, unsigned flags) { return cuStreamCreateWithPriority(stream, flags, 0); }

/// Destroys a stream. Its pending work is still done.
PTXRAY_API cuStreamDestroy_v2(void *stream) {
  PTXRAY_BEGIN;
  if (!state().streams.erase(stream))
    return errorOfHandle(stream);
  state().destroyed[stream] = InvalidContext;
  return Success;
}

static Result waitFor(void *handle) {
  PTXRAY_BEGIN;
  const auto stream = streamOf(handle);
  if (!stream)
    return errorOfHandle(handle);
  if (stream->capture) {
    stream->capture->isInvalid = true;
    return CaptureUnsupported;
  }
  return finish(handle);
}
PTXRAY_API cuStreamSynchronize(void *stream) { return waitFor(stream); }
/// Finishes the work of the stream, so that a client that polls it makes progress.
PTXRAY_API cuStreamQuery(void *stream) { return waitFor(stream); }

PTXRAY_API cuStreamGetFlags(void *handle, unsigned *flags) {
  PTXRAY_BEGIN;
  const auto stream = streamOf(handle);
  if (!flags || !stream)
    return flags ? InvalidHandle : InvalidValue;
  *flags = stream->flags;
  return Success;
}

PTXRAY_API cuStreamGetPriority(void *handle, int *priority) {
  PTXRAY_BEGIN;
  const auto stream = streamOf(handle);
  if (!priority || !stream)
    return priority ? InvalidHandle : InvalidValue;
  *priority = stream->priority;
  return Success;
}

PTXRAY_API cuStreamGetCtx(void *stream, void **context) {
  PTXRAY_BEGIN;
  if (!context || !streamOf(stream))
    return context ? InvalidHandle : InvalidValue;
  *context = contextStack().back();
  return Success;
}
PTXRAY_API cuStreamGetCtx_v2(void *stream, void **context, void **green) {
  if (green)
    *green = nullptr;
  return cuStreamGetCtx(stream, context);
}
PTXRAY_API cuStreamGetDevice(void *stream, Device *device) {
  PTXRAY_BEGIN;
  if (!device || !streamOf(stream))
    return device ? InvalidHandle : InvalidValue;
  *device = 0;
  return Success;
}

PTXRAY_API cuStreamGetId(void *handle, unsigned long long *id) {
  PTXRAY_BEGIN;
  const auto stream = streamOf(handle);
  if (!id || !stream)
    return id ? InvalidHandle : InvalidValue;
  *id = reinterpret_cast<uintptr_t>(stream.get());
  return Success;
}

// ---- attributes: how caches and waits should be used

constexpr int accessPolicy = 1, synchronization = 3;

PTXRAY_API cuStreamSetAttribute(void *handle, int attribute, const AttributeValue *value) {
  PTXRAY_BEGIN;
  const auto stream = streamOf(handle);
  if (!stream || !value || (attribute != accessPolicy && attribute != synchronization))
    return stream ? InvalidValue : InvalidHandle;
  stream->attributes[attribute] = *value;
  return Success;
}
PTXRAY_API cuStreamGetAttribute(void *handle, int attribute, AttributeValue *value) {
  PTXRAY_BEGIN;
  const auto stream = streamOf(handle);
  if (!stream || !value || (attribute != accessPolicy && attribute != synchronization))
    return stream ? InvalidValue : InvalidHandle;
  const auto found = stream->attributes.find(attribute);
  *value = found == stream->attributes.end() ? AttributeValue{} : found->second;
  return Success;
}
PTXRAY_API cuStreamCopyAttributes(void *to, void *from) {
  PTXRAY_BEGIN;
  const auto target = streamOf(to), source = streamOf(from);
  if (!target || !source)
    return InvalidHandle;
  target->attributes = source->attributes;
  return Success;
}

PTXRAY_API cuStreamAddCallback(void *stream, void (*function)(void *, Result, void *), void *data, unsigned flags) {
  PTXRAY_BEGIN;
  return function && !flags ? start(stream, CallbackWork{stream, function, data}) : InvalidValue;
}

PTXRAY_API cuStreamAttachMemAsync(void *stream, Address, size_t, unsigned) {
  PTXRAY_BEGIN;
  return streamOf(stream) ? Success : InvalidHandle;
}

// ---- events

PTXRAY_API cuEventCreate(void **event, unsigned flags) {
  PTXRAY_BEGIN;
  if (!event || flags > 7)
    return InvalidValue;
  *event = new Event{flags, nullptr, nullptr, {}};
  state().events.insert(*event);
  return Success;
}

PTXRAY_API cuEventDestroy_v2(void *event) {
  PTXRAY_BEGIN;
  if (!state().events.erase(event))
    return errorOfHandle(event);
  delete static_cast<Event *>(event);
  state().destroyed[event] = ContextIsDestroyed;
  return Success;
}

PTXRAY_API cuEventRecordWithFlags(void *event, void *handle, unsigned flags) {
  PTXRAY_BEGIN;
  Event *found = eventOf(event);
  const auto stream = streamOf(handle);
  if (!found || !stream)
    return errorOfHandle(found ? handle : event);
  if (flags > 1)
    return InvalidValue;
  if (stream->capture && !flags) { // the event comes after all nodes of the stream so far
    found->capture = stream->capture;
    const auto &last = stream->capture->last[stream.get()];
    found->nodes.assign(last.begin(), last.end());
    return Success;
  }
  if (stream->capture)
    return start(handle, RecordWork{nullptr, event});
  found->capture = nullptr;
  found->moment = std::make_shared<Moment>();
  return start(handle, RecordWork{found->moment, event});
}
PTXRAY_API cuEventRecord(void *event, void *stream) { return cuEventRecordWithFlags(event, stream, 0); }

PTXRAY_API cuStreamWaitEvent(void *handle, void *event, unsigned flags) {
  PTXRAY_BEGIN;
  const Event *found = eventOf(event);
  const auto stream = streamOf(handle);
  if (!found || !stream)
    return errorOfHandle(found ? handle : event);
  if (stream->capture && flags == 1)
    return start(handle, WaitWork{nullptr, event});
  if (found->capture) {
    if (stream == contextStack().back()->legacy)
      return CaptureImplicit;
    if (stream->capture && stream->capture != found->capture)
      return CaptureMerge;
    stream->capture = found->capture;
    auto &last = stream->capture->last[stream.get()];
    for (void *node : found->nodes)
      if (std::find(last.begin(), last.end(), node) == last.end())
        last.push_back(static_cast<Node *>(node));
    return Success;
  }
  if (stream->capture) {
    stream->capture->isInvalid = true;
    return CaptureIsolation;
  }
  return found->moment && !found->moment->isDone ? start(handle, WaitWork{found->moment, event}) : Success;
}

static Result waitForEvent(void *event) {
  PTXRAY_BEGIN;
  const Event *found = eventOf(event);
  if (!found)
    return errorOfHandle(event);
  if (found->capture)
    return CapturedEvent;
  return found->moment ? finish(*found->moment) : Success;
}
PTXRAY_API cuEventQuery(void *event) { return waitForEvent(event); }
PTXRAY_API cuEventSynchronize(void *event) { return waitForEvent(event); }

PTXRAY_API cuEventElapsedTime(float *milliseconds, void *from, void *to) {
  PTXRAY_BEGIN;
  const Event *begin = eventOf(from), *end = eventOf(to);
  constexpr unsigned withoutTime = 2;
  if (!milliseconds)
    return InvalidValue;
  if (!begin || !end)
    return errorOfHandle(begin ? to : from);
  if (!begin->moment || !end->moment || ((begin->flags | end->flags) & withoutTime))
    return InvalidHandle;
  if (!begin->moment->isDone || !end->moment->isDone)
    return NotReady;
  *milliseconds = static_cast<float>(end->moment->milliseconds - begin->moment->milliseconds);
  return Success;
}
PTXRAY_API cuEventElapsedTime_v2(float *milliseconds, void *from, void *to) {
  return cuEventElapsedTime(milliseconds, from, to);
}

PTXRAY_API cuCtxRecordEvent(void *, void *event) { return cuEventRecord(event, nullptr); }
PTXRAY_API cuCtxWaitEvent(void *, void *event) { return cuStreamWaitEvent(nullptr, event, 0); }

// ---- numbers that a stream writes when its earlier work is done

static Result writeNumber(void *stream, Address to, uint64_t value, unsigned bytes) {
  PTXRAY_BEGIN;
  const FillWork low = {to, 0, static_cast<unsigned>(value), 4, 1, 1};
  const FillWork high = {to + 4, 0, static_cast<unsigned>(value >> 32), 4, 1, 1};
  const Result bad = to % bytes ? InvalidValue : problemOf(low);
  if (bad || bytes == 4)
    return bad ? bad : start(stream, low);
  if (const Result wrong = problemOf(high) ? problemOf(high) : start(stream, low))
    return wrong;
  return start(stream, high);
}
PTXRAY_API cuStreamWriteValue32_v2(void *stream, Address to, uint32_t value, unsigned) {
  return writeNumber(stream, to, value, 4);
}
PTXRAY_API cuStreamWriteValue64_v2(void *stream, Address to, uint64_t value, unsigned) {
  return writeNumber(stream, to, value, 8);
}
