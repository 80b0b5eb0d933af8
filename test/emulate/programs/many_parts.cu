// A program of the CUDA runtime that checks itself: what nvcc makes of kernels, variables and `<<<...>>>`, and the
// structures of the runtime as its headers lay them out.
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <vector>

#define CHECK(condition)                                                                                               \
  if (!(condition))                                                                                                    \
  std::printf("line %d: %s (%s)\n", __LINE__, #condition, cudaGetErrorName(cudaPeekAtLastError())), std::exit(3)
#define CALL(call) CHECK((call) == cudaSuccess)

__constant__ float factors[2];
__device__ int calls;
__managed__ int counts[2] = {1, 2};

template <typename T> __global__ void scale(T *values, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    values[i] = values[i] * T(factors[0]) + T(factors[1]);
  if (threadIdx.x == 0)
    atomicAdd(&calls, 1);
}

__global__ void fetch(cudaTextureObject_t image, float *to) {
  to[threadIdx.y * blockDim.x + threadIdx.x] = tex2D<float>(image, threadIdx.x + 0.5f, threadIdx.y + 0.5f);
}

__global__ void rotate(const int *from, int *to, int *sum) {
  namespace groups = cooperative_groups;
  to[(blockIdx.x + 1) % gridDim.x] = from[blockIdx.x];
  groups::this_grid().sync();
  if (blockIdx.x == 0 && threadIdx.x == 0)
    for (int i = 0; i < gridDim.x; ++i)
      *sum += to[i] * i;
}

__global__ void count() { counts[1] += counts[0]; }

static void values() {
  std::vector<double> host(1000, 2);
  double *device;
  const float both[] = {3, 1};
  int called = 0;
  CALL(cudaMalloc(&device, host.size() * sizeof(double)));
  CALL(cudaMemcpyToSymbol(factors, both, sizeof both));
  CALL(cudaMemcpy(device, host.data(), host.size() * sizeof(double), cudaMemcpyHostToDevice));
  scale<<<8, 128>>>(device, 1000);
  CALL(cudaGetLastError());
  CALL(cudaMemcpy(host.data(), device, host.size() * sizeof(double), cudaMemcpyDeviceToHost));
  for (const double value : host)
    CHECK(value == 7);
  CALL(cudaMemcpyFromSymbol(&called, calls, sizeof called));
  CHECK(called == 8);
  scale<<<8, 2048>>>(device, 1000);
  CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration && cudaGetLastError() == cudaSuccess);
  counts[0] = 5;
  count<<<1, 1>>>();
  CALL(cudaDeviceSynchronize());
  CHECK(counts[1] == 7);
  CALL(cudaFree(device));
}

static void images() {
  float texels[6] = {1, 2, 3, 4, 5, 6}, *device, read[6];
  cudaArray_t array;
  const cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
  CALL(cudaMallocArray(&array, &channels, 3, 2));
  CALL(cudaMemcpy2DToArray(array, 0, 0, texels, 12, 12, 2, cudaMemcpyHostToDevice));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc texture = {};
  texture.addressMode[0] = texture.addressMode[1] = cudaAddressModeClamp;
  texture.filterMode = cudaFilterModeLinear;
  cudaTextureObject_t image;
  CALL(cudaCreateTextureObject(&image, &resource, &texture, nullptr));
  CALL(cudaMalloc(&device, sizeof read));
  fetch<<<1, dim3(3, 2)>>>(image, device);
  CALL(cudaMemcpy(read, device, sizeof read, cudaMemcpyDeviceToHost));
  CHECK(!std::memcmp(read, texels, sizeof read));
  CALL(cudaDestroyTextureObject(image));
  CALL(cudaFreeArray(array));
}

static void grids() {
  int host[] = {10, 20, 30, 40}, *from, *to, *sum, result = 0;
  CALL(cudaMalloc(&from, sizeof host));
  CALL(cudaMalloc(&to, sizeof host));
  CALL(cudaMalloc(&sum, sizeof result));
  CALL(cudaMemcpy(from, host, sizeof host, cudaMemcpyHostToDevice));
  CALL(cudaMemset(sum, 0, sizeof result));
  void *arguments[] = {&from, &to, &sum};
  CALL(cudaLaunchCooperativeKernel((const void *)rotate, dim3(4), dim3(32), arguments, 0, nullptr));
  CALL(cudaMemcpy(&result, sum, sizeof result, cudaMemcpyDeviceToHost));
  CHECK(result == 10 * 1 + 20 * 2 + 30 * 3);
}

/// What is captured from a stream is done when the graph is launched, and not before.
static void captures() {
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t ready;
  cudaEvent_t begin, end;
  float *device, read[4] = {}, milliseconds = -1;
  CALL(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CALL(cudaEventCreate(&begin));
  CALL(cudaEventCreate(&end));
  CALL(cudaMallocAsync(&device, sizeof read, stream));
  CALL(cudaMemsetAsync(device, 0, sizeof read, stream));
  CALL(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  scale<<<1, 32, 0, stream>>>(device, 4);
  CALL(cudaMemcpyAsync(read, device, sizeof read, cudaMemcpyDeviceToHost, stream));
  CALL(cudaStreamEndCapture(stream, &graph));
  CHECK(read[3] == 0);
  CALL(cudaGraphInstantiate(&ready, graph, 0));
  CALL(cudaEventRecord(begin, stream));
  CALL(cudaGraphLaunch(ready, stream));
  CALL(cudaGraphLaunch(ready, stream));
  CALL(cudaEventRecord(end, stream));
  CALL(cudaStreamSynchronize(stream));
  CHECK(read[3] == 4);
  CALL(cudaEventElapsedTime(&milliseconds, begin, end));
  CHECK(milliseconds >= 0);
}

static void questions() {
  cudaDeviceProp properties;
  cudaFuncAttributes attributes;
  cudaPointerAttributes pointer;
  int blocks = 0, size = 0;
  CALL(cudaGetDeviceProperties(&properties, 0));
  CHECK(properties.major == 9 && properties.warpSize == 32 && properties.maxThreadsPerBlock == 1024);
  CHECK(properties.multiProcessorCount == 132 && properties.cooperativeLaunch && properties.clusterLaunch);
  CHECK(properties.sharedMemPerBlockOptin == 227 * 1024 && properties.unifiedAddressing &&
        properties.totalConstMem == 65536);
  CALL(cudaFuncGetAttributes(&attributes, scale<float>));
  CHECK(attributes.maxThreadsPerBlock == 1024 && attributes.binaryVersion == 90 &&
        attributes.maxDynamicSharedSizeBytes == 48 * 1024);
  CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scale<float>, 256, 0));
  CHECK(blocks == 8);
  CALL(cudaOccupancyMaxPotentialBlockSize(&blocks, &size, scale<float>));
  CHECK(size == 1024 && blocks == 2 * 132);
  CALL(cudaPointerGetAttributes(&pointer, counts));
  CHECK(pointer.type == cudaMemoryTypeManaged && pointer.hostPointer == counts);
}

int main() {
  values();
  images();
  grids();
  captures();
  questions();
  std::puts("all parts work");
}
