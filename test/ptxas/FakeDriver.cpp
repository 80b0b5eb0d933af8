// A CUDA driver without a GPU, to test its callers. Its memory is that of the host. Its one kernel, `k`, adds its third
// parameter to the words of the first buffer and writes them to the second.
#include "Driver.h"
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>

using namespace ptxray;

/// Returns the result that a test wants from a call.
static int wanted(const char *name, int otherwise = 0) {
  const char *text = std::getenv(name);
  return text ? std::atoi(text) : otherwise;
}

/// The fault of a kernel. From then on, every call fails with it.
static CuResult fault = 0;
/// The kernel computes a wrong result if the text of its image contains $FAKE_WRONG.
static bool isWrong = false;

extern "C" {
CuResult cuInit(unsigned) {
  if (const char *path = std::getenv("FAKE_PROCESSES")) // a line for each process that loads this driver
      [[maybe_unused]]
    static const bool noted = [path] {
      if (FILE *file = std::fopen(path, "a"))
        std::fclose((std::fputs("process\n", file), file));
      return true;
    }();
  return wanted("FAKE_INIT");
}
CuResult cuDriverGetVersion(int *version) { return *version = 13000, 0; }
CuResult cuDeviceGetCount(int *count) { return *count = wanted("FAKE_COUNT", 1), 0; }
CuResult cuDeviceGet(CuDevice *device, int ordinal) { return *device = ordinal, 0; }
CuResult cuDeviceGetName(char *name, int, CuDevice) { return std::strcpy(name, "Fake"), 0; }
CuResult cuDeviceGetAttribute(int *value, int attribute, CuDevice) {
  switch (attribute) {
  case driver::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: *value = wanted("FAKE_MAJOR", 9); break;
  case driver::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: *value = 0; break;
  case driver::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X:
  case driver::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + 1: *value = 1024; break;
  case driver::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + 2: *value = 64; break;
  case driver::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X: *value = 0x7fffffff; break;
  case driver::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X + 1:
  case driver::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X + 2: *value = 65535; break;
  default: *value = 65536;
  }
  return 0;
}
CuResult cuDevicePrimaryCtxRetain(CuHandle *context, CuDevice) { return *context = nullptr, 0; }
CuResult cuCtxSetCurrent(CuHandle) { return 0; }
CuResult cuCtxSetLimit(int, size_t) { return 0; }
CuResult cuCtxSynchronize() { return fault = wanted("FAKE_SYNC"); }
CuResult cuModuleLoadDataEx(CuHandle *module, const void *image, unsigned count, int *, void **values) {
  if (const CuResult refused = wanted("FAKE_LOAD"))
    return refused;
  const std::string text(static_cast<const char *>(image), 4);
  const char *const wrong = std::getenv("FAKE_WRONG");
  isWrong = wrong && std::strstr(static_cast<const char *>(image) + 64, wrong);
  *module = nullptr;
  if (count == 0)
    *module = text == "\x7f"
                      "ELF"
                  ? module
                  : nullptr;
  else if (wanted("FAKE_JIT"))
    std::strcpy(static_cast<char *>(values[2]), "ptxas application ptx input, line 7; error   : no 'sub' today\n");
  else
    *module = module;
  return *module ? 0 : count ? 218 : 200;
}
CuResult cuModuleGetGlobal_v2(CuPointer *pointer, size_t *bytes, CuHandle, const char *name) {
  static uint32_t variable[4] = {1, 2, 3, 4};
  *pointer = reinterpret_cast<CuPointer>(variable);
  *bytes = sizeof variable;
  return std::string(name) == "table" ? 0 : 500;
}
CuResult cuStreamQuery(CuHandle) {
  if (wanted("FAKE_HANG"))
    return CuNotReady;
  if (fault == 0) // a fault stays until the process ends
    fault = isWrong ? wanted("FAKE_WRONG_SYNC") : wanted("FAKE_SYNC");
  return fault;
}
/// Returns the names of the kernels, separated by commas.
static std::string kernels() { return std::getenv("FAKE_KERNELS") ? std::getenv("FAKE_KERNELS") : "k"; }
CuResult cuModuleGetFunctionCount(unsigned *count, CuHandle) {
  const std::string names = kernels();
  *count = names.empty() ? 0 : 1 + static_cast<unsigned>(std::count(names.begin(), names.end(), ','));
  return 0;
}
CuResult cuModuleEnumerateFunctions(CuHandle *functions, unsigned count, CuHandle) {
  for (uintptr_t i = 0; i < count; ++i)
    functions[i] = reinterpret_cast<CuHandle>(i);
  return 0;
}
CuResult cuFuncGetName(const char **name, CuHandle function) {
  static std::string found;
  std::istringstream names(kernels());
  for (uintptr_t i = 0; i <= reinterpret_cast<uintptr_t>(function); ++i)
    std::getline(names, found, ',');
  return *name = found.c_str(), 0;
}
CuResult cuFuncGetParamInfo(CuHandle, size_t index, size_t *offset, size_t *bytes) {
  *offset = 8 * index;
  *bytes = index < 2 ? 8 : wanted("FAKE_LAST_PARAMETER", 4);
  return index < 3 ? 0 : 1;
}
CuResult cuTensorMapEncodeTiled(void *map, int type, unsigned rank, void *address, const uint64_t *extents,
                                const uint64_t *strides, const uint32_t *box, const uint32_t *, int interleave,
                                int swizzle, int promotion, int fill) {
  std::printf("tensor map of type %d, %u dimensions, %llu x %llu, stride %llu, box %u x %u, %d %d %d %d\n", type, rank,
              (unsigned long long)extents[0], (unsigned long long)extents[1], (unsigned long long)strides[0], box[0],
              box[1], interleave, swizzle, promotion, fill);
  return std::memcpy(map, &address, sizeof address), 0;
}
CuResult cuModuleUnload(CuHandle) { return 0; }
CuResult cuModuleGetFunction(CuHandle *function, CuHandle, const char *name) {
  *function = function;
  return std::string(name) == "k" ? 0 : 500;
}
CuResult cuFuncGetAttribute(int *value, int attribute, CuHandle) {
  if (fault)
    return fault;
  *value = attribute == driver::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK ? 1024
           : attribute == driver::CU_FUNC_ATTRIBUTE_NUM_REGS            ? 40
                                                                        : 0;
  return 0;
}
CuResult cuFuncSetAttribute(CuHandle, int, int) { return 0; }
CuResult cuLaunchKernel(CuHandle, unsigned gridX, unsigned gridY, unsigned, unsigned blockX, unsigned, unsigned blockZ,
                        unsigned shared, CuHandle, void **parameters, void **) {
  if (blockX > 1024 || blockZ > 64 || gridY > 65535 || shared > 65536)
    return 1;
  if (wanted("FAKE_LAST_PARAMETER") > 4) { // a structure: a count, and a second address
    const auto *bytes = static_cast<const unsigned char *>(parameters[2]);
    for (int i = 0; i < wanted("FAKE_LAST_PARAMETER"); ++i)
      std::printf("%02x", i >= 8 && i < 16 ? 0 : bytes[i]); // addresses differ from run to run
    std::printf("\n");
  }
  const auto *in = *static_cast<uint32_t **>(parameters[0]);
  auto *out = *static_cast<uint32_t **>(parameters[1]);
  const uint32_t added = *static_cast<uint32_t *>(parameters[2]);
  if (wanted("FAKE_TRACE"))
    std::printf("finds %u\n", in[0]);
  for (unsigned i = 0; i < gridX * blockX; ++i)
    out[i] = in[i] + added + isWrong;
  if (const int beyond = wanted("FAKE_BEYOND"))
    reinterpret_cast<unsigned char *>(out)[beyond] = 7;
  return 0;
}
CuResult cuLaunchKernelEx(const CuLaunchConfig *config, CuHandle function, void **parameters, void **extra) {
  if (config->attributes[0].id == 2) {
    std::printf("cooperative\n");
    return cuLaunchKernel(function, config->gridX, 1, 1, config->blockX, 1, 1, 0, nullptr, parameters, extra);
  }
  const unsigned blocks = config->attributes[0].value.cluster.x;
  if (blocks > 16 || config->gridX % blocks)
    return 912;
  std::printf("cluster of %u\n", blocks);
  return cuLaunchKernel(function, config->gridX, 1, 1, config->blockX, 1, 1, 0, nullptr, parameters, extra);
}
CuResult cuMemAlloc_v2(CuPointer *pointer, size_t bytes) {
  *pointer = reinterpret_cast<CuPointer>(std::malloc(bytes));
  return 0;
}
CuResult cuMemFree_v2(CuPointer pointer) {
  std::free(reinterpret_cast<void *>(pointer));
  return 0;
}
CuResult cuMemHostAlloc(void **pointer, size_t bytes, unsigned) { return *pointer = std::malloc(bytes), 0; }
CuResult cuMemcpyHtoD_v2(CuPointer to, const void *from, size_t bytes) {
  return std::memcpy(reinterpret_cast<void *>(to), from, bytes), 0;
}
CuResult cuMemcpyDtoH_v2(void *to, CuPointer from, size_t bytes) {
  return std::memcpy(to, reinterpret_cast<void *>(from), bytes), 0;
}
CuResult cuMemsetD8_v2(CuPointer to, unsigned char value, size_t bytes) {
  return std::memset(reinterpret_cast<void *>(to), value, bytes), 0;
}
CuResult cuEventCreate(CuHandle *event, unsigned) { return *event = event, 0; }
CuResult cuEventRecord(CuHandle, CuHandle) { return 0; }
CuResult cuEventSynchronize(CuHandle) { return 0; }
CuResult cuEventElapsedTime(float *milliseconds, CuHandle, CuHandle) { return *milliseconds = 0.5, 0; }
CuResult cuGetErrorName(CuResult, const char **name) { return *name = "CUDA_ERROR_FAKE", 0; }
CuResult cuGetErrorString(CuResult, const char **text) { return *text = "fake", 0; }
}
