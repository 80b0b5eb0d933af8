// Devices and their contexts.
#include "Runtime.h"
#include <cstdlib>
#include <cstring>
#include <iterator>

namespace ptxray::runtime {

static thread_local int deviceOfThread = 0;
static thread_local bool isEntered = false;

/// Sets the number of devices. Returns an error if there is no driver.
static Error devices(int &count) {
  const Error bad = cuInit(0);
  return bad ? bad : cuDeviceGetCount(&count);
}

static Error problemOf(int device) {
  int count = 0;
  if (const Error bad = devices(count))
    return bad;
  return device >= 0 && device < count ? Error(Success) : InvalidDevice;
}

Error enter() {
  if (isEntered)
    return Success;
  if (const Error bad = cuInit(0))
    return bad;
  void *context = nullptr;
  if (const Error bad = cuCtxGetCurrent(&context))
    return bad;
  if (!context) { // otherwise the program has chosen the context through the driver API
    if (const Error bad = cuDevicePrimaryCtxRetain(&context, deviceOfThread))
      return bad;
    if (const Error bad = cuCtxSetCurrent(context))
      return bad;
  }
  isEntered = true;
  return Success;
}

/// A member of cudaDeviceProp that holds one attribute of the device, or several consecutive ones.
struct Property {
  unsigned offset;
  bool isLong;
  int attribute;
};
/// The size of the structure in CUDA 13.
static constexpr size_t propertyBytes = 1008;
static constexpr unsigned nameBytes = 256, uuidAt = 256, memoryAt = 288, constantAt = 352;
static constexpr Property properties[] = {
    {296, true, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK},
    {304, false, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK},
    {308, false, CU_DEVICE_ATTRIBUTE_WARP_SIZE},
    {312, true, CU_DEVICE_ATTRIBUTE_MAX_PITCH},
    {320, false, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK},
    {324, false, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X},
    {328, false, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y},
    {332, false, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z},
    {336, false, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X},
    {340, false, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y},
    {344, false, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z},
    {360, false, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR},
    {364, false, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR},
    {368, true, CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT},
    {376, true, CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT},
    {384, false, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT},
    {388, false, CU_DEVICE_ATTRIBUTE_INTEGRATED},
    {392, false, CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY},
    {396, false, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_WIDTH},
    {400, false, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH},
    {404, false, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH},
    {408, false, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_HEIGHT},
    {412, false, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH},
    {416, false, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT},
    {420, false, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_WIDTH},
    {424, false, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_HEIGHT},
    {428, false, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_PITCH},
    {432, false, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_GATHER_WIDTH},
    {436, false, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_GATHER_HEIGHT},
    {440, false, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH},
    {444, false, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT},
    {448, false, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH},
    {452, false, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE},
    {456, false, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE},
    {460, false, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE},
    {464, false, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_WIDTH},
    {468, false, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_WIDTH},
    {472, false, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_LAYERS},
    {476, false, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_WIDTH},
    {480, false, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_HEIGHT},
    {484, false, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_LAYERS},
    {488, false, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH},
    {492, false, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS},
    {496, false, CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_WIDTH},
    {500, false, CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_WIDTH},
    {504, false, CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_HEIGHT},
    {508, false, CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_WIDTH},
    {512, false, CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_HEIGHT},
    {516, false, CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_DEPTH},
    {520, false, CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_WIDTH},
    {524, false, CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_LAYERS},
    {528, false, CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_WIDTH},
    {532, false, CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_HEIGHT},
    {536, false, CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_LAYERS},
    {540, false, CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_WIDTH},
    {544, false, CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH},
    {548, false, CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS},
    {552, true, CU_DEVICE_ATTRIBUTE_SURFACE_ALIGNMENT},
    {560, false, CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS},
    {564, false, CU_DEVICE_ATTRIBUTE_ECC_ENABLED},
    {568, false, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID},
    {572, false, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID},
    {576, false, CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID},
    {580, false, CU_DEVICE_ATTRIBUTE_TCC_DRIVER},
    {584, false, CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT},
    {588, false, CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING},
    {592, false, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH},
    {596, false, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE},
    {600, false, CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE},
    {604, false, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR},
    {608, false, CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED},
    {612, false, CU_DEVICE_ATTRIBUTE_GLOBAL_L1_CACHE_SUPPORTED},
    {616, false, CU_DEVICE_ATTRIBUTE_LOCAL_L1_CACHE_SUPPORTED},
    {624, true, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR},
    {632, false, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR},
    {636, false, CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY},
    {640, false, CU_DEVICE_ATTRIBUTE_MULTI_GPU_BOARD},
    {644, false, CU_DEVICE_ATTRIBUTE_MULTI_GPU_BOARD_GROUP_ID},
    {648, false, CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED},
    {652, false, CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS},
    {656, false, CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS},
    {660, false, CU_DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED},
    {664, false, CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM},
    {668, false, CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH},
    {672, true, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN},
    {680, false, CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES},
    {684, false, CU_DEVICE_ATTRIBUTE_DIRECT_MANAGED_MEM_ACCESS_FROM_HOST},
    {688, false, CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR},
    {692, false, CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE},
    {696, true, CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK},
    {704, false, CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED},
    {708, false, CU_DEVICE_ATTRIBUTE_SPARSE_CUDA_ARRAY_SUPPORTED},
    {712, false, CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED},
    {716, false, CU_DEVICE_ATTRIBUTE_TIMELINE_SEMAPHORE_INTEROP_SUPPORTED},
    {720, false, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED},
    {724, false, CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_SUPPORTED},
    {728, false, CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS},
    {732, false, CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WRITES_ORDERING},
    {736, false, CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES},
    {740, false, CU_DEVICE_ATTRIBUTE_DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED},
    {744, false, CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED},
    {748, false, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH},
    {752, false, CU_DEVICE_ATTRIBUTE_UNIFIED_FUNCTION_POINTERS},
    {756, false, CU_DEVICE_ATTRIBUTE_NUMA_CONFIG},
    {760, false, CU_DEVICE_ATTRIBUTE_NUMA_ID},
    {764, false, CU_DEVICE_ATTRIBUTE_MPS_ENABLED},
    {768, false, CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID},
    {772, false, CU_DEVICE_ATTRIBUTE_MEM_DECOMPRESS_ALGORITHM_MASK},
    {776, false, CU_DEVICE_ATTRIBUTE_MEM_DECOMPRESS_MAXIMUM_LENGTH},
    {780, false, CU_DEVICE_ATTRIBUTE_VULKAN_CIG_SUPPORTED},
};

static Error propertiesOf(char *to, int device) {
  std::memset(to, 0, propertyBytes);
  if (const Error bad = cuDeviceGetName(to, nameBytes, device))
    return bad;
  Uuid uuid;
  if (const Error bad = cuDeviceGetUuid_v2(&uuid, device))
    return bad;
  std::memcpy(to + uuidAt, &uuid, sizeof uuid);
  size_t memory = 0;
  if (const Error bad = cuDeviceTotalMem_v2(&memory, device))
    return bad;
  std::memcpy(to + memoryAt, &memory, sizeof memory);
  int value = 0;
  cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY, device);
  const size_t constant = static_cast<size_t>(value);
  std::memcpy(to + constantAt, &constant, sizeof constant);
  for (const Property &one : properties) {
    value = 0;
    cuDeviceGetAttribute(&value, one.attribute, device); // an attribute that the driver does not know remains 0
    const auto wide = static_cast<size_t>(value);
    std::memcpy(to + one.offset, one.isLong ? static_cast<const void *>(&wide) : &value, one.isLong ? 8 : 4);
  }
  return Success;
}

} // namespace ptxray::runtime

using namespace ptxray::runtime;

PTXRAY_RUNTIME cudaDriverGetVersion(int *version) { return noted(cuDriverGetVersion(version)); }
PTXRAY_RUNTIME cudaRuntimeGetVersion(int *version) {
  if (!version)
    return noted(InvalidValue);
  *version = apiVersion;
  return Success;
}

PTXRAY_RUNTIME cudaGetDeviceCount(int *count) { return noted(count ? devices(*count) : Error(InvalidValue)); }
PTXRAY_RUNTIME cudaGetDevice(int *device) {
  if (!device)
    return noted(InvalidValue);
  if (isEntered)
    return inContext([&] { return cuCtxGetDevice(device); });
  *device = deviceOfThread;
  return Success;
}
PTXRAY_RUNTIME cudaInitDevice(int device, unsigned, unsigned) { return noted(problemOf(device)); }
PTXRAY_RUNTIME cudaSetDevice(int device) {
  if (const Error bad = problemOf(device))
    return noted(bad);
  if (device != deviceOfThread || !isEntered) {
    deviceOfThread = device;
    isEntered = false;
    void *context = nullptr;
    if (const Error bad = cuDevicePrimaryCtxRetain(&context, device))
      return noted(bad);
    if (const Error bad = cuCtxSetCurrent(context))
      return noted(bad);
  }
  return noted(enter());
}
PTXRAY_RUNTIME cudaSetValidDevices(int *all, int count) {
  return noted(count && all ? problemOf(all[0]) : Error(InvalidValue));
}
PTXRAY_RUNTIME cudaChooseDevice(int *device, const void *properties) {
  if (!device || !properties)
    return noted(InvalidValue);
  *device = 0;
  return noted(problemOf(0));
}
PTXRAY_RUNTIME cudaGetDeviceProperties(void *to, int device) {
  if (!to)
    return noted(InvalidValue);
  const Error bad = problemOf(device);
  return noted(bad ? bad : propertiesOf(static_cast<char *>(to), device));
}
/// Returns an attribute. Its number is the same as in the driver.
PTXRAY_RUNTIME cudaDeviceGetAttribute(int *value, int attribute, int device) {
  const Error bad = problemOf(device);
  return noted(bad ? bad : cuDeviceGetAttribute(value, attribute, device));
}
PTXRAY_RUNTIME cudaDeviceCanAccessPeer(int *can, int device, int other) {
  const Error bad = problemOf(device) ? problemOf(device) : problemOf(other);
  return noted(bad ? bad : cuDeviceCanAccessPeer(can, device, other));
}
PTXRAY_RUNTIME cudaDeviceGetP2PAttribute(int *value, int, int, int) {
  return noted(value ? InvalidDevice : InvalidValue); // requires two devices, and there is only one
}
PTXRAY_RUNTIME cudaDeviceEnablePeerAccess(int device, unsigned) {
  const Error bad = problemOf(device);
  return noted(bad ? bad : Error(InvalidDevice)); // there is no other device
}
PTXRAY_RUNTIME cudaDeviceDisablePeerAccess(int device) {
  const Error bad = problemOf(device);
  return noted(bad ? bad : Error(PeerAccessNotEnabled));
}
PTXRAY_RUNTIME cudaDeviceGetPCIBusId(char *text, int length, int device) {
  const Error bad = problemOf(device);
  return noted(bad ? bad : cuDeviceGetPCIBusId(text, length, device));
}
PTXRAY_RUNTIME cudaDeviceGetByPCIBusId(int *device, const char *text) {
  const Error bad = problemOf(0);
  return noted(bad ? bad : cuDeviceGetByPCIBusId(device, text));
}

PTXRAY_RUNTIME cudaDeviceReset() {
  const Error bad = enter();
  if (bad)
    return noted(bad);
  forgetModules();
  isEntered = false;
  cuCtxSetCurrent(nullptr);
  return noted(cuDevicePrimaryCtxReset_v2(deviceOfThread)); // resetting the context also resets a fault of a kernel
}
PTXRAY_RUNTIME cudaSetDeviceFlags(unsigned flags) {
  const Error bad = problemOf(deviceOfThread);
  return noted(bad ? bad : cuDevicePrimaryCtxSetFlags_v2(deviceOfThread, flags));
}
PTXRAY_RUNTIME cudaGetDeviceFlags(unsigned *flags) {
  int isActive = 0;
  const Error bad = problemOf(deviceOfThread);
  return noted(bad ? bad : cuDevicePrimaryCtxGetState(deviceOfThread, flags, &isActive));
}
PTXRAY_RUNTIME cudaDeviceSetSharedMemConfig(int) { return noted(enter()); }
PTXRAY_RUNTIME cudaDeviceGetSharedMemConfig(int *config) {
  return inContext([&] { return config ? (*config = 1, Error(Success)) : InvalidValue; });
}
PTXRAY_RUNTIME cudaDeviceGetTexture1DLinearMaxWidth(size_t *width, const ChannelDescription *, int device) {
  if (const Error bad = problemOf(device))
    return noted(bad);
  return noted(width ? (*width = size_t(1) << 28, Error(Success)) : InvalidValue);
}

/// Returns a function of the driver, in the newest version that this version of CUDA has.
static Error driverFunction(const char *name, void **function, int version, unsigned long long flags, int *status) {
  const Error bad = enter();
  constexpr unsigned long long ofThread = 2;
  if (!flags && DefaultOfThread::isSet)
    flags = ofThread;
  return noted(bad ? bad : cuGetProcAddress_v2(name, function, version, flags, status));
}
PTXRAY_RUNTIME cudaGetDriverEntryPoint(const char *name, void **function, unsigned long long flags, int *status) {
  return driverFunction(name, function, apiVersion, flags, status);
}
PTXRAY_RUNTIME cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned version,
                                                unsigned long long flags, int *status) {
  return driverFunction(name, function, static_cast<int>(version), flags, status);
}
