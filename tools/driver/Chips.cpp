#include "Chips.h"
#include "../cuda/Attributes.h"

namespace ptxray::driver {

llvm::ArrayRef<Chip> chips() {
  static constexpr Chip all[] = {
      {"sm_75", "T4", 7, 5, 40, 64, 64, 1024, 16, 16, 4, 1'590'000, 5'001'000, 256},
      {"sm_80", "A100", 8, 0, 108, 164, 163, 2048, 32, 80, 40, 1'410'000, 1'593'000, 5120},
      {"sm_86", "RTX 3090", 8, 6, 82, 100, 99, 1536, 16, 24, 6, 1'695'000, 9'751'000, 384},
      {"sm_89", "RTX 4090", 8, 9, 128, 100, 99, 1536, 24, 24, 72, 2'520'000, 10'501'000, 384},
      {"sm_90", "H100", 9, 0, 132, 228, 227, 2048, 32, 80, 50, 1'980'000, 2'619'000, 5120},
      {"sm_100", "B200", 10, 0, 148, 228, 227, 2048, 32, 180, 126, 1'965'000, 3'996'000, 8192},
      {"sm_103", "B300", 10, 3, 148, 228, 227, 2048, 32, 270, 126, 1'920'000, 3'996'000, 8192},
      {"sm_120", "RTX 5090", 12, 0, 170, 100, 99, 1536, 24, 32, 96, 2'407'000, 14'001'000, 512},
  };
  return all;
}

static constexpr int mostAttribute = CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_LOCALIZED_MEMORY_SUPPORTED;

int attributeOf(const Chip &chip, int attribute) {
  const bool hasClusters = chip.major >= 9;
  switch (attribute) {
  case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK: // threads of a block
  case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X:
  case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y: return 1024;
  case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z: return 64;
  case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X: return 0x7fffffff; // blocks of a grid
  case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y:
  case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z: return 65535;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK: return 48 * 1024; // shared memory without cuFuncSetAttribute
  case CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY: return 65536;           // constant memory
  case CU_DEVICE_ATTRIBUTE_WARP_SIZE: return 32;                          // lanes
  case CU_DEVICE_ATTRIBUTE_MAX_PITCH: return 0x7fffffff;
  case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK:
  case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR: return 65536; // registers
  case CU_DEVICE_ATTRIBUTE_CLOCK_RATE: return chip.clock;
  case CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT:
  case CU_DEVICE_ATTRIBUTE_SURFACE_ALIGNMENT: return 512; // alignment of textures and surfaces
  case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: return chip.processors;
  case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE: return chip.memoryClock;
  case CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH: return chip.busWidth;
  case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE: return chip.cache << 20;
  case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR: return chip.threadsOfProcessor;
  case CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT: return 2;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: return chip.major;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: return chip.minor;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR: return chip.sharedOfProcessor * 1024;
  case CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO: return 2;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: return chip.sharedOfBlock * 1024;
  case CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR: return chip.blocksOfProcessor;
  case CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK: return 1024;
  // The device can copy while kernels run, map host memory, run kernels concurrently, use one address space with the
  // host, prioritise streams, cache in L1, manage memory, preempt kernels, launch cooperatively, register memory, map
  // virtual memory, and use pools.
  case CU_DEVICE_ATTRIBUTE_GPU_OVERLAP:
  case CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY:
  case CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS:
  case CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING:
  case CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED:
  case CU_DEVICE_ATTRIBUTE_GLOBAL_L1_CACHE_SUPPORTED:
  case CU_DEVICE_ATTRIBUTE_LOCAL_L1_CACHE_SUPPORTED:
  case CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY:
  case CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS:
  case CU_DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED:
  case CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM:
  case CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH:
  case CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED:
  case CU_DEVICE_ATTRIBUTE_VIRTUAL_ADDRESS_MANAGEMENT_SUPPORTED:
  case CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED: return 1;
  case CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH:
  case CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED: return hasClusters;
  default: return attribute >= 1 && attribute <= mostAttribute ? 0 : -1;
  }
}

} // namespace ptxray::driver
