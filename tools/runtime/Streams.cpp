// Streams, events, host functions, and captures of streams into graphs.
#include "Runtime.h"
#include <memory>

using namespace ptxray::runtime;

PTXRAY_RUNTIME cudaStreamCreateWithFlags(void **stream, unsigned flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}
PTXRAY_RUNTIME cudaStreamCreate(void **stream) { return cudaStreamCreateWithPriority(stream, 0, 0); }

PTXRAY_RUNTIME cudaEventCreate(void **event) { return cudaEventCreateWithFlags(event, 0); }
PTXRAY_RUNTIME cudaEventRecord(void *event, void *stream) { return cudaEventRecordWithFlags(event, stream, 0); }
