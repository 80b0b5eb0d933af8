// Streams, events, host functions, and captures of streams into graphs.
#include "Runtime.h"
#include <memory>

using namespace ptxray::runtime;

PTXRAY_RUNTIME cudaStreamCreateWithPriority(void **stream, unsigned flags, int priority) {
  return inContext([&] { return cuStreamCreateWithPriority(stream, flags, priority); });
}
PTXRAY_RUNTIME cudaStreamCreateWithFlags(void **stream, unsigned flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}
PTXRAY_RUNTIME cudaStreamCreate(void **stream) { return cudaStreamCreateWithPriority(stream, 0, 0); }
PTXRAY_RUNTIME cudaStreamDestroy(void *stream) {
  return inContext([&] { return cuStreamDestroy_v2(stream); });
}
PTXRAY_RUNTIME cudaStreamSynchronize(void *stream) {
  return inContext([&] { return cuStreamSynchronize(stream); });
}
PTXRAY_RUNTIME cudaStreamQuery(void *stream) {
  return inContext([&] { return cuStreamQuery(stream); });
}
PTXRAY_RUNTIME cudaStreamWaitEvent(void *stream, void *event, unsigned flags) {
  return inContext([&] { return cuStreamWaitEvent(stream, event, flags); });
}
PTXRAY_RUNTIME cudaStreamGetFlags(void *stream, unsigned *flags) {
  return inContext([&] { return cuStreamGetFlags(stream, flags); });
}
PTXRAY_RUNTIME cudaStreamGetPriority(void *stream, int *priority) {
  return inContext([&] { return cuStreamGetPriority(stream, priority); });
}
PTXRAY_RUNTIME cudaStreamGetId(void *stream, unsigned long long *id) {
  return inContext([&] { return cuStreamGetId(stream, id); });
}
PTXRAY_RUNTIME cudaStreamGetDevice(void *stream, int *device) {
  return inContext([&] { return cuStreamGetDevice(stream, device); });
}
PTXRAY_RUNTIME cudaStreamAttachMemAsync(void *stream, void *pointer, size_t size, unsigned flags) {
  return inContext([&] { return cuStreamAttachMemAsync(stream, reinterpret_cast<Address>(pointer), size, flags); });
}
PTXRAY_RUNTIME cudaStreamSetAttribute(void *stream, int attribute, const AttributeValue *value) {
  return inContext([&] { return cuStreamSetAttribute(stream, attribute, value); });
}
PTXRAY_RUNTIME cudaStreamGetAttribute(void *stream, int attribute, AttributeValue *value) {
  return inContext([&] { return cuStreamGetAttribute(stream, attribute, value); });
}
PTXRAY_RUNTIME cudaStreamCopyAttributes(void *to, void *from) {
  return inContext([&] { return cuStreamCopyAttributes(to, from); });
}
/// The numbers of results are those of the driver's, so that the function can be handed on.
PTXRAY_RUNTIME cudaStreamAddCallback(void *stream, void (*function)(void *, int, void *), void *data, unsigned flags) {
  return inContext([&] { return cuStreamAddCallback(stream, function, data, flags); });
}
PTXRAY_RUNTIME cudaLaunchHostFunc(void *stream, void (*function)(void *), void *data) {
  return inContext([&] { return cuLaunchHostFunc(stream, function, data); });
}

PTXRAY_RUNTIME cudaStreamBeginCapture(void *stream, int mode) {
  return inContext([&] { return cuStreamBeginCapture_v2(stream, mode); });
}
PTXRAY_RUNTIME cudaStreamBeginCaptureToGraph(void *stream, void *graph, void *const *nodes, const void *edges,
                                             size_t count, int mode) {
  return inContext([&] { return cuStreamBeginCaptureToGraph(stream, graph, nodes, edges, count, mode); });
}
PTXRAY_RUNTIME cudaStreamEndCapture(void *stream, void **graph) {
  return inContext([&] { return cuStreamEndCapture(stream, graph); });
}
PTXRAY_RUNTIME cudaStreamIsCapturing(void *stream, int *status) {
  return inContext([&] { return cuStreamIsCapturing(stream, status); });
}
PTXRAY_RUNTIME cudaStreamGetCaptureInfo(void *stream, int *status, unsigned long long *id, void **graph,
                                        void *const **nodes, const void **edges, size_t *count) {
  return inContext([&] { return cuStreamGetCaptureInfo_v3(stream, status, id, graph, nodes, edges, count); });
}
PTXRAY_RUNTIME cudaStreamUpdateCaptureDependencies(void *stream, void *const *nodes, const void *edges, size_t count,
                                                   unsigned flags) {
  return inContext([&] { return cuStreamUpdateCaptureDependencies_v2(stream, nodes, edges, count, flags); });
}
PTXRAY_RUNTIME cudaThreadExchangeStreamCaptureMode(int *mode) {
  return inContext([&] { return cuThreadExchangeStreamCaptureMode(mode); });
}

PTXRAY_RUNTIME cudaEventCreateWithFlags(void **event, unsigned flags) {
  return inContext([&] { return cuEventCreate(event, flags); });
}
PTXRAY_RUNTIME cudaEventCreate(void **event) { return cudaEventCreateWithFlags(event, 0); }
PTXRAY_RUNTIME cudaEventDestroy(void *event) {
  return inContext([&] { return cuEventDestroy_v2(event); });
}
PTXRAY_RUNTIME cudaEventRecordWithFlags(void *event, void *stream, unsigned flags) {
  return inContext([&] { return cuEventRecordWithFlags(event, stream, flags); });
}
PTXRAY_RUNTIME cudaEventRecord(void *event, void *stream) { return cudaEventRecordWithFlags(event, stream, 0); }
PTXRAY_RUNTIME cudaEventQuery(void *event) {
  return inContext([&] { return cuEventQuery(event); });
}
PTXRAY_RUNTIME cudaEventSynchronize(void *event) {
  return inContext([&] { return cuEventSynchronize(event); });
}
PTXRAY_RUNTIME cudaEventElapsedTime(float *milliseconds, void *from, void *to) {
  return inContext([&] { return cuEventElapsedTime(milliseconds, from, to); });
}
