// Memory: allocation, attributes of pointers, and fills.
#include "Runtime.h"
#include <cstring>

using namespace ptxray::runtime;

/// Returns the address from the driver. Unlike the driver, the runtime lets a program allocate 0 bytes.
template <typename Allocate> static Error allocated(void **to, size_t size, const Allocate &allocate) {
  return inContext([&] {
    if (!to)
      return Error(InvalidValue);
    *to = nullptr;
    if (!size)
      return Error(Success);
    Address address = 0;
    const Error bad = allocate(&address);
    *to = reinterpret_cast<void *>(address);
    return bad;
  });
}

PTXRAY_RUNTIME cudaMalloc(void **to, size_t size) {
  return allocated(to, size, [&](Address *address) { return cuMemAlloc_v2(address, size); });
}
PTXRAY_RUNTIME cudaMallocManaged(void **to, size_t size, unsigned flags) {
  return allocated(to, size, [&](Address *address) { return cuMemAllocManaged(address, size, flags); });
}
PTXRAY_RUNTIME cudaMallocAsync(void **to, size_t size, void *stream) {
  return allocated(to, size, [&](Address *address) { return cuMemAllocAsync(address, size, stream); });
}
PTXRAY_RUNTIME cudaMallocFromPoolAsync(void **to, size_t size, void *pool, void *stream) {
  return allocated(to, size, [&](Address *address) { return cuMemAllocFromPoolAsync(address, size, pool, stream); });
}
static Error allocateRows(void **to, size_t *pitch, size_t width, size_t rows) {
  constexpr unsigned element = 4;
  return allocated(to, width * rows,
                   [&](Address *address) { return cuMemAllocPitch_v2(address, pitch, width, rows, element); });
}
PTXRAY_RUNTIME cudaMallocPitch(void **to, size_t *pitch, size_t width, size_t height) {
  return pitch ? allocateRows(to, pitch, width, height) : noted(InvalidValue);
}
PTXRAY_RUNTIME cudaMalloc3D(Pitched *to, Extent extent) {
  if (!to)
    return noted(InvalidValue);
  *to = {nullptr, 0, extent.width, extent.height};
  return allocateRows(&to->bytes, &to->pitch, extent.width, extent.height * extent.depth);
}

PTXRAY_RUNTIME cudaHostAlloc(void **to, size_t size, unsigned flags) {
  return inContext([&] { return size || !to ? cuMemHostAlloc(to, size, flags) : (*to = nullptr, Error(Success)); });
}
PTXRAY_RUNTIME cudaMallocHost(void **to, size_t size) { return cudaHostAlloc(to, size, 0); }
PTXRAY_RUNTIME cudaFreeHost(void *pointer) {
  return inContext([&] { return pointer ? cuMemFreeHost(pointer) : Error(Success); });
}
PTXRAY_RUNTIME cudaHostGetDevicePointer(void **to, void *pointer, unsigned flags) {
  return inContext([&] {
    Address address = 0;
    if (!to)
      return Error(InvalidValue);
    const Error bad = cuMemHostGetDevicePointer_v2(&address, pointer, flags);
    *to = reinterpret_cast<void *>(address);
    return bad;
  });
}

PTXRAY_RUNTIME cudaMemAdvise(const void *pointer, size_t size, int advice, Location) {
  return inContext([&] { return cuMemAdvise(addressOf(pointer), size, advice, 0); });
}
PTXRAY_RUNTIME cudaMemPrefetchAsync(const void *pointer, size_t size, Location, unsigned, void *stream) {
  return inContext([&] { return cuMemPrefetchAsync(addressOf(pointer), size, 0, stream); });
}

struct ptxray::runtime::PointerAttributes {
  int kind; // 0: the driver does not know the memory, 1: memory of the host, 2: of the device, 3: managed
  int device;
  void *onDevice, *onHost;
  long reserved[8];
};
PTXRAY_RUNTIME cudaPointerGetAttributes(PointerAttributes *to, const void *pointer) {
  return inContext([&] {
    if (!to || !pointer)
      return Error(InvalidValue);
    *to = {};
    unsigned type = 0;
    char managed = 0;
    if (cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                              addressOf(pointer))) { // the host's own memory
      to->device = -2;
      to->onHost = const_cast<void *>(pointer);
      return Error(Success);
    }
    cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, addressOf(pointer));
    to->kind = managed ? 3 : static_cast<int>(type);
    cuPointerGetAttribute(&to->device, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, addressOf(pointer));
    cuPointerGetAttribute(&to->onDevice, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, addressOf(pointer));
    if (cuPointerGetAttribute(&to->onHost, CU_POINTER_ATTRIBUTE_HOST_POINTER, addressOf(pointer)))
      to->onHost = nullptr;
    return Error(Success);
  });
}

// ---- fills

PTXRAY_RUNTIME cudaMemsetAsync(void *to, int value, size_t size, void *stream) {
  return inContext([&] {
    return size ? cuMemsetD8Async(addressOf(to), static_cast<unsigned char>(value), size, stream) : Error(Success);
  });
}
PTXRAY_RUNTIME cudaMemset(void *to, int value, size_t size) {
  if (DefaultOfThread::isSet)
    return cudaMemsetAsync(to, value, size, defaultStream());
  return inContext(
      [&] { return size ? cuMemsetD8_v2(addressOf(to), static_cast<unsigned char>(value), size) : Error(Success); });
}
PTXRAY_RUNTIME cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height, void *stream) {
  return inContext([&] {
    return cuMemsetD2D8Async(addressOf(to), pitch, static_cast<unsigned char>(value), width, height, stream);
  });
}
PTXRAY_RUNTIME cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height) {
  if (DefaultOfThread::isSet)
    return cudaMemset2DAsync(to, pitch, value, width, height, defaultStream());
  return inContext(
      [&] { return cuMemsetD2D8_v2(addressOf(to), pitch, static_cast<unsigned char>(value), width, height); });
}
/// Fills the planes of a box. They follow one another after as many rows as the memory has.
static Error fillBoxes(const Pitched &to, int value, const Extent &extent, void *stream) {
  return inContext([&] {
    for (size_t plane = 0; plane < extent.depth; ++plane)
      if (const Error bad = cuMemsetD2D8Async(addressOf(to.bytes) + plane * to.pitch * to.height, to.pitch,
                                              static_cast<unsigned char>(value), extent.width, extent.height, stream))
        return bad;
    return Error(Success);
  });
}
PTXRAY_RUNTIME cudaMemset3D(Pitched to, int value, Extent extent) {
  const Error bad = fillBoxes(to, value, extent, defaultStream());
  return bad ? bad : noted(cuStreamSynchronize(defaultStream()));
}
PTXRAY_RUNTIME cudaMemset3DAsync(Pitched to, int value, Extent extent, void *stream) {
  return fillBoxes(to, value, extent, stream);
}
