// A program with a default stream for each thread (`--default-stream per-thread`), which checks itself.
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <cuda_runtime.h>
#include <thread>

#define CHECK(condition)                                                                                               \
  if (!(condition))                                                                                                    \
  std::printf("line %d: %s (%s)\n", __LINE__, #condition, cudaGetErrorName(cudaPeekAtLastError())), std::exit(3)
#define CALL(call) CHECK((call) == cudaSuccess)

__device__ int variable;

__global__ void add(int *values, int number) { values[threadIdx.x] += number; }

static unsigned long long idOf(cudaStream_t stream) {
  unsigned long long id = 0;
  CALL(cudaStreamGetId(stream, &id));
  return id;
}

// The default stream can be captured: what is started on it is a node. The legacy one refuses.
static void capture(int *device, int *host) {
  cudaGraph_t graph;
  cudaGraphExec_t ready;
  size_t count = 0;
  CALL(cudaStreamBeginCapture(0, cudaStreamCaptureModeThreadLocal));
  CALL(cudaMemsetAsync(device, 0, 32 * sizeof(int)));
  add<<<1, 32>>>(device, 5);
  void *arguments[] = {&device, &count};
  CALL(cudaLaunchKernel(add, 1, 32, arguments, 0, 0));
  CALL(cudaMemcpyToSymbolAsync(variable, device, sizeof(int), 0, cudaMemcpyDeviceToDevice));
  CALL(cudaMemcpyAsync(host, device, 32 * sizeof(int), cudaMemcpyDeviceToHost));
  CALL(cudaStreamEndCapture(0, &graph));
  CALL(cudaGraphGetNodes(graph, nullptr, &count));
  CHECK(count == 5);
  CALL(cudaGraphInstantiate(&ready, graph, 0));
  CALL(cudaGraphLaunch(ready, 0));
  CALL(cudaStreamSynchronize(0));
  CHECK(host[0] == 5 && host[31] == 5);
  CHECK(cudaStreamBeginCapture(cudaStreamLegacy, cudaStreamCaptureModeThreadLocal) ==
        cudaErrorStreamCaptureUnsupported);
  CHECK(cudaGetLastError() == cudaErrorStreamCaptureUnsupported);
  CALL(cudaGraphExecDestroy(ready));
  CALL(cudaGraphDestroy(graph));
}

// A copy waits for the thread's own stream, and for the legacy one.
static void copies(int *device) {
  int host[32] = {}, value = 0;
  CALL(cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice));
  add<<<1, 32>>>(device, 3);
  CALL(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
  CHECK(host[7] == 3);
  add<<<1, 32, 0, cudaStreamLegacy>>>(device, 3);
  CALL(cudaMemcpy2D(host, 16, device, 16, 16, 8, cudaMemcpyDeviceToHost));
  CHECK(host[31] == 6);
  CALL(cudaMemset(device, 1, sizeof host));
  CALL(cudaMemcpyToSymbol(variable, device, sizeof(int), 0, cudaMemcpyDeviceToDevice));
  CALL(cudaMemcpyFromSymbol(&value, variable, sizeof value));
  CHECK(value == 0x01010101);
}

// The driver's functions that the runtime finds have the thread's stream, too.
static void driver() {
  CUresult (*getId)(CUstream, unsigned long long *) = nullptr;
  unsigned long long id = 0;
  cudaDriverEntryPointQueryResult found;
  CALL(cudaGetDriverEntryPointByVersion("cuStreamGetId", (void **)&getId, 12000, cudaEnableDefault, &found));
  CHECK(found == cudaDriverEntryPointSuccess && getId(0, &id) == CUDA_SUCCESS && id == idOf(cudaStreamPerThread));
  CALL(cudaGetDriverEntryPointByVersion("cuStreamGetId", (void **)&getId, 12000, cudaEnableLegacyStream, &found));
  CHECK(getId(0, &id) == CUDA_SUCCESS && id == idOf(cudaStreamLegacy));
}

int main() {
  unsigned long long others = 0;
  std::thread([&] { others = idOf(0); }).join();
  CHECK(idOf(0) == idOf(cudaStreamPerThread) && idOf(0) != idOf(cudaStreamLegacy));
  std::thread([&] { CHECK(idOf(cudaStreamLegacy) != idOf(0)); }).join();
  int *device, *host;
  CALL(cudaMalloc(&device, 32 * sizeof(int)));
  CALL(cudaMallocHost(&host, 32 * sizeof(int)));
  capture(device, host);
  std::thread(copies, device).join();
  driver();
  // An event of one thread's stream orders the stream of another one.
  cudaEvent_t event;
  CALL(cudaEventCreate(&event));
  CALL(cudaMemsetAsync(device, 0, 32 * sizeof(int)));
  add<<<1, 32>>>(device, 9);
  CALL(cudaEventRecord(event));
  std::thread([&] {
    CALL(cudaStreamWaitEvent(0, event, 0));
    CALL(cudaMemcpyAsync(host, device, 32 * sizeof(int), cudaMemcpyDeviceToHost, 0));
    CALL(cudaStreamSynchronize(0));
  }).join();
  CHECK(host[3] == 9 && others);
  std::puts("each thread has its stream");
}
