// Kernels: their launches, attributes, and occupancy.
#include "Runtime.h"
#include <vector>

namespace ptxray::runtime {

/// The shape of a launch from `<<<...>>>`, stored until the host function of the kernel is called.
struct Configuration {
  Dim3 grid, block;
  size_t shared;
  void *stream;
};
static thread_local std::vector<Configuration> configurations;

static LaunchConfig configOf(const Configuration &asked, LaunchAttribute *attributes, unsigned count) {
  return {asked.grid.x,
          asked.grid.y,
          asked.grid.z,
          asked.block.x,
          asked.block.y,
          asked.block.z,
          static_cast<unsigned>(asked.shared),
          asked.stream ? asked.stream : defaultStream(),
          attributes,
          count};
}

static Error launch(const void *kernel, const Configuration &asked, void **arguments, LaunchAttribute *attributes,
                    unsigned count) {
  return inContext([&] {
    void *function = nullptr;
    if (const Error bad = functionOf(&function, kernel))
      return bad;
    const LaunchConfig config = configOf(asked, attributes, count);
    const Error result = cuLaunchKernelEx(&config, function, arguments, nullptr);
    return result == InvalidValue ? InvalidConfiguration : result;
  });
}

/// Calls the driver with a kernel's function.
template <typename Ask> static Error ofKernel(const void *kernel, const Ask &ask) {
  return inContext([&] {
    void *function = nullptr;
    const Error bad = functionOf(&function, kernel);
    return bad ? bad : Error(ask(function));
  });
}

} // namespace ptxray::runtime

using namespace ptxray::runtime;

extern "C" __attribute__((visibility("default"))) unsigned __cudaPushCallConfiguration(Dim3 grid, Dim3 block,
                                                                                       size_t shared, void *stream) {
  configurations.push_back({grid, block, shared, stream});
  return 0;
}
PTXRAY_RUNTIME __cudaPopCallConfiguration(Dim3 *grid, Dim3 *block, size_t *shared, void *stream) {
  if (configurations.empty())
    return noted(MissingConfiguration);
  const Configuration asked = configurations.back();
  configurations.pop_back();
  *grid = asked.grid;
  *block = asked.block;
  *shared = asked.shared;
  *static_cast<void **>(stream) = asked.stream;
  return Success;
}

PTXRAY_RUNTIME cudaLaunchKernel(const void *kernel, Dim3 grid, Dim3 block, void **arguments, size_t shared,
                                void *stream) {
  return launch(kernel, {grid, block, shared, stream}, arguments, nullptr, 0);
}
PTXRAY_RUNTIME __cudaLaunchKernel(const void *kernel, Dim3 grid, Dim3 block, void **arguments, size_t shared,
                                  void *stream) {
  return launch(kernel, {grid, block, shared, stream}, arguments, nullptr, 0);
}
PTXRAY_RUNTIME cudaLaunchCooperativeKernel(const void *kernel, Dim3 grid, Dim3 block, void **arguments, size_t shared,
                                           void *stream) {
  LaunchAttribute cooperative = {launchCooperative, {}, {}};
  cooperative.value.cooperative = 1;
  return launch(kernel, {grid, block, shared, stream}, arguments, &cooperative, 1);
}
PTXRAY_RUNTIME cudaLaunchKernelExC(const ExtendedConfiguration *asked, const void *kernel, void **arguments) {
  if (!asked)
    return noted(InvalidValue);
  return launch(kernel, {asked->grid, asked->block, asked->shared, asked->stream}, arguments, asked->attributes,
                asked->attributeCount);
}

// ---- attributes

struct ptxray::runtime::FunctionAttributes {
  size_t sharedBytes, constantBytes, localBytes;
  int numbers[14]; // these are the members from maxThreadsPerBlock to deviceNodeUpdateStatus
};
PTXRAY_RUNTIME cudaFuncGetAttributes(FunctionAttributes *to, const void *kernel) {
  return ofKernel(kernel, [&](void *function) {
    if (!to)
      return Error(InvalidValue);
    constexpr int sizes[] = {CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES,
                             CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES};
    constexpr int others[] = {CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
                              CU_FUNC_ATTRIBUTE_NUM_REGS,
                              CU_FUNC_ATTRIBUTE_PTX_VERSION,
                              CU_FUNC_ATTRIBUTE_BINARY_VERSION,
                              CU_FUNC_ATTRIBUTE_CACHE_MODE_CA,
                              CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                              CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
                              CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET,
                              CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH,
                              CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT,
                              CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH,
                              CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE,
                              CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED};
    int value = 0;
    for (size_t *size = &to->sharedBytes; const int attribute : sizes) {
      cuFuncGetAttribute(&value, attribute, function);
      *size++ = static_cast<size_t>(value);
    }
    for (int *number = to->numbers; const int attribute : others)
      cuFuncGetAttribute(number++, attribute, function);
    to->numbers[13] = 0;
    return Error(Success);
  });
}
PTXRAY_RUNTIME cudaFuncSetAttribute(const void *kernel, int attribute, int value) {
  return ofKernel(kernel, [&](void *function) { return cuFuncSetAttribute(function, attribute, value); });
}
PTXRAY_RUNTIME cudaKernelSetAttributeForDevice(void *kernel, int attribute, int value, int) {
  return cudaFuncSetAttribute(kernel, attribute, value);
}
PTXRAY_RUNTIME cudaFuncSetCacheConfig(const void *kernel, int config) {
  return ofKernel(kernel, [&](void *function) { return cuFuncSetCacheConfig(function, config); });
}
PTXRAY_RUNTIME cudaFuncSetSharedMemConfig(const void *kernel, int) {
  return ofKernel(kernel, [](void *) { return Success; });
}
PTXRAY_RUNTIME cudaFuncGetName(const char **name, const void *kernel) {
  return ofKernel(kernel, [&](void *function) { return cuFuncGetName(name, function); });
}
PTXRAY_RUNTIME cudaFuncGetParamInfo(const void *kernel, size_t index, size_t *offset, size_t *size) {
  return ofKernel(kernel, [&](void *function) { return cuFuncGetParamInfo(function, index, offset, size); });
}
PTXRAY_RUNTIME cudaFuncGetParamCount(const void *kernel, size_t *count) {
  return ofKernel(kernel, [&](void *function) { return cuFuncGetParamCount(function, count); });
}
PTXRAY_RUNTIME cudaGetFuncBySymbol(void **to, const void *kernel) {
  return to ? ofKernel(kernel, [&](void *function) { return *to = function, Success; }) : noted(InvalidValue);
}

// ---- occupancy

PTXRAY_RUNTIME cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *kernel, int threads,
                                                                      size_t shared, unsigned flags) {
  return ofKernel(kernel, [&](void *function) {
    return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared, flags);
  });
}
PTXRAY_RUNTIME cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *kernel, int threads,
                                                             size_t shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, kernel, threads, shared, 0);
}
PTXRAY_RUNTIME cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *kernel, int blocks, int threads) {
  return ofKernel(kernel, [&](void *function) {
    return cuOccupancyAvailableDynamicSMemPerBlock(bytes, function, blocks, threads);
  });
}
/// Queries the driver about clusters, as in a launch with this configuration.
static Error ofClusters(int *result, const void *kernel, const ExtendedConfiguration *asked,
                        Result (*ask)(int *, void *, const LaunchConfig *)) {
  return ofKernel(kernel, [&](void *function) {
    if (!asked)
      return Error(InvalidValue);
    const LaunchConfig config =
        configOf({asked->grid, asked->block, asked->shared, asked->stream}, asked->attributes, asked->attributeCount);
    return ask(result, function, &config);
  });
}
PTXRAY_RUNTIME cudaOccupancyMaxActiveClusters(int *clusters, const void *kernel, const ExtendedConfiguration *asked) {
  return ofClusters(clusters, kernel, asked, cuOccupancyMaxActiveClusters);
}
PTXRAY_RUNTIME cudaOccupancyMaxPotentialClusterSize(int *size, const void *kernel, const ExtendedConfiguration *asked) {
  return ofClusters(size, kernel, asked, cuOccupancyMaxPotentialClusterSize);
}
