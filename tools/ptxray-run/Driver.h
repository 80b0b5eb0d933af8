#pragma once
// The functions of the CUDA driver API that are used here, declared without CUDA's headers and loaded at run time: CUDA
// is not needed to build, and without a driver there is one clear message.
#include <cstddef>
#include <cstdint>
#include <string>

namespace ptxray {

using CuResult = int;
using CuDevice = int;
using CuPointer = unsigned long long;
inline constexpr CuResult CuNotReady = 600;
using CuHandle = void *; // of contexts, modules, functions, streams, events

struct CuLaunchAttribute { // 64 bytes of value
  int id;                  // 2: cooperative, 4: cluster dimension
  char padding[4];
  union {
    struct {
      unsigned x, y, z;
    } cluster;
    int cooperative;
    char bytes[64];
  } value;
};
struct CuLaunchConfig {
  unsigned gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes;
  CuHandle stream;
  CuLaunchAttribute *attributes;
  unsigned attributeCount;
};

// Images: numbers and layouts of the API.
enum CuResourceKind { CuArrayResource, CuLevelsResource, CuLinearResource };
enum CuMemoryKind { CuHostMemory = 1, CuDeviceMemory, CuArrayMemory };
struct CuArrayDescriptor {
  size_t width, height, depth;
  int format;
  unsigned channels, flags;
};
struct CuResourceDescriptor {
  int kind;
  uint64_t words[16];
  unsigned flags;
};
struct CuTextureDescriptor {
  int modes[3], filter;
  unsigned flags, anisotropy;
  int levelFilter;
  float bias, leastLevel, mostLevel, border[4];
  int reserved[12];
};
struct CuCopyEnd {
  size_t xInBytes, y, z, level;
  int kind;
  void *host;
  CuPointer device;
  CuHandle array, reserved;
  size_t pitch, height;
};
struct CuCopy {
  CuCopyEnd from, to;
  size_t bytes, height, depth; // bytes of a row
};

// name in libcuda, parameters
#define PTXRAY_DRIVER_FUNCTIONS(F)                                                                                     \
  F(cuInit, (unsigned flags))                                                                                          \
  F(cuDriverGetVersion, (int *version))                                                                                \
  F(cuDeviceGetCount, (int *count))                                                                                    \
  F(cuDeviceGet, (CuDevice * device, int ordinal))                                                                     \
  F(cuDeviceGetName, (char *name, int length, CuDevice device))                                                        \
  F(cuDeviceGetAttribute, (int *value, int attribute, CuDevice device))                                                \
  F(cuDevicePrimaryCtxRetain, (CuHandle * context, CuDevice device))                                                   \
  F(cuCtxSetCurrent, (CuHandle context))                                                                               \
  F(cuCtxSetLimit, (int limit, size_t value))                                                                          \
  F(cuCtxSynchronize, ())                                                                                              \
  F(cuModuleLoadDataEx, (CuHandle * module, const void *image, unsigned count, int *options, void **values))           \
  F(cuModuleUnload, (CuHandle module))                                                                                 \
  F(cuModuleGetFunction, (CuHandle * function, CuHandle module, const char *name))                                     \
  F(cuModuleGetGlobal_v2, (CuPointer * pointer, size_t *bytes, CuHandle module, const char *name))                     \
  F(cuStreamQuery, (CuHandle stream))                                                                                  \
  F(cuFuncGetAttribute, (int *value, int attribute, CuHandle function))                                                \
  F(cuFuncSetAttribute, (CuHandle function, int attribute, int value))                                                 \
  F(cuLaunchKernel,                                                                                                    \
    (CuHandle function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX, unsigned blockY,              \
     unsigned blockZ, unsigned sharedBytes, CuHandle stream, void **parameters, void **extra))                         \
  F(cuMemAlloc_v2, (CuPointer * pointer, size_t bytes))                                                                \
  F(cuMemFree_v2, (CuPointer pointer))                                                                                 \
  F(cuMemHostAlloc, (void **pointer, size_t bytes, unsigned flags))                                                    \
  F(cuMemcpyHtoD_v2, (CuPointer to, const void *from, size_t bytes))                                                   \
  F(cuMemcpyDtoH_v2, (void *to, CuPointer from, size_t bytes))                                                         \
  F(cuMemsetD8_v2, (CuPointer to, unsigned char value, size_t bytes))                                                  \
  F(cuEventCreate, (CuHandle * event, unsigned flags))                                                                 \
  F(cuEventRecord, (CuHandle event, CuHandle stream))                                                                  \
  F(cuEventSynchronize, (CuHandle event))                                                                              \
  F(cuEventElapsedTime, (float *milliseconds, CuHandle from, CuHandle to))                                             \
  F(cuGetErrorName, (CuResult result, const char **name))                                                              \
  F(cuGetErrorString, (CuResult result, const char **text))

// The same, of functions that only textures and surfaces need.
#define PTXRAY_IMAGE_FUNCTIONS(F)                                                                                      \
  F(cuArray3DCreate_v2, (CuHandle * array, const CuArrayDescriptor *descriptor))                                       \
  F(cuArrayDestroy, (CuHandle array))                                                                                  \
  F(cuMipmappedArrayCreate, (CuHandle * array, const CuArrayDescriptor *descriptor, unsigned levels))                  \
  F(cuMipmappedArrayGetLevel, (CuHandle * level, CuHandle array, unsigned number))                                     \
  F(cuMipmappedArrayDestroy, (CuHandle array))                                                                         \
  F(cuMemcpy3D_v2, (const CuCopy *copy))                                                                               \
  F(cuTexObjectCreate,                                                                                                 \
    (uint64_t *handle, const CuResourceDescriptor *resource, const CuTextureDescriptor *sampling, const void *view))   \
  F(cuTexObjectDestroy, (uint64_t handle))                                                                             \
  F(cuSurfObjectCreate, (uint64_t *handle, const CuResourceDescriptor *resource))                                      \
  F(cuSurfObjectDestroy, (uint64_t handle))

// Attributes of devices and functions by the numbers of the API.
enum CuDeviceAttribute {
  CuMostThreadsPerBlock = 1,
  CuMostBlockX = 2, // then y, z
  CuMostGridX = 5,
  CuMostSharedPerBlock = 8,
  CuMostRegistersPerBlock = 12,
  CuComputeMajor = 75,
  CuComputeMinor = 76,
  CuMostSharedOptIn = 97,
};
enum CuFunctionAttribute {
  CuFunctionMostThreads = 0,
  CuFunctionSharedBytes = 1,
  CuFunctionRegisters = 4,
  CuFunctionMostDynamicShared = 8,
  CuFunctionAnyClusterSize = 14,
};

struct Driver {
#define PTXRAY_DECLARE(name, parameters) CuResult(*name) parameters = nullptr;
  PTXRAY_DRIVER_FUNCTIONS(PTXRAY_DECLARE)
  PTXRAY_IMAGE_FUNCTIONS(PTXRAY_DECLARE)
#undef PTXRAY_DECLARE
  CuResult (*cuLaunchKernelEx)(const CuLaunchConfig *config, CuHandle function, void **parameters,
                               void **extra) = nullptr; // null: an old driver

  CuResult (*cuTensorMapEncodeTiled)(void *map, int type, unsigned rank, void *address, const uint64_t *extents,
                                     const uint64_t *strides, const uint32_t *box, const uint32_t *steps,
                                     int interleave, int swizzle, int promotion, int fill) = nullptr;
  CuResult (*cuTensorMapEncodeIm2col)(void *map, int type, unsigned rank, void *address, const uint64_t *extents,
                                      const uint64_t *strides, const int *lower, const int *upper, uint32_t channels,
                                      uint32_t pixels, const uint32_t *steps, int interleave, int swizzle,
                                      int promotion, int fill) = nullptr;
  CuResult (*cuTensorMapEncodeIm2colWide)(void *map, int type, unsigned rank, void *address, const uint64_t *extents,
                                          const uint64_t *strides, int lower, int upper, uint32_t channels,
                                          uint32_t pixels, const uint32_t *steps, int interleave, int mode, int swizzle,
                                          int promotion, int fill) = nullptr;
  CuResult (*cuModuleGetFunctionCount)(unsigned *count, CuHandle module) = nullptr;
  CuResult (*cuModuleEnumerateFunctions)(CuHandle *functions, unsigned count, CuHandle module) = nullptr;
  CuResult (*cuFuncGetName)(const char **name, CuHandle function) = nullptr;
  CuResult (*cuFuncGetParamInfo)(CuHandle function, size_t index, size_t *offset, size_t *bytes) = nullptr;

  bool hasImages = true; // all functions for textures and surfaces
  CuDevice device = 0;
  std::string deviceName;
  int computeMajor = 0, computeMinor = 0;
  int version = 0; // 13000: CUDA 13.0

  /// Opens libcuda and a device; returns why that cannot be, or nothing.
  std::string open(int ordinal);
  /// The file of libcuda; empty: there is none.
  static std::string path();
  int deviceAttribute(int attribute) const;
  int functionAttribute(CuHandle function, int attribute) const;
  /// A result in words: `an illegal address was used (CUDA_ERROR_ILLEGAL_ADDRESS)`.
  std::string inWords(CuResult result) const;
};

} // namespace ptxray
