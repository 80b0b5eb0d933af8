// Memory: allocation, what pointers are, and fills.
#include "Runtime.h"
#include <cstring>

using namespace ptxray::runtime;

/// Hands on the address that the driver gave. Unlike the driver, the runtime lets a program ask for 0 bytes.
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
PTXRAY_RUNTIME cudaFree(void *pointer) {
  return inContext([&] { return cuMemFree_v2(addressOf(pointer)); });
}
PTXRAY_RUNTIME cudaFreeAsync(void *pointer, void *stream) {
  return inContext([&] { return cuMemFreeAsync(addressOf(pointer), stream); });
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
PTXRAY_RUNTIME cudaHostRegister(void *pointer, size_t size, unsigned flags) {
  return inContext([&] { return cuMemHostRegister_v2(pointer, size, flags); });
}
PTXRAY_RUNTIME cudaHostUnregister(void *pointer) {
  return inContext([&] { return cuMemHostUnregister(pointer); });
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
PTXRAY_RUNTIME cudaHostGetFlags(unsigned *flags, void *pointer) {
  return inContext([&] { return cuMemHostGetFlags(flags, pointer); });
}
PTXRAY_RUNTIME cudaMemGetInfo(size_t *free, size_t *total) {
  return inContext([&] { return cuMemGetInfo_v2(free, total); });
}

PTXRAY_RUNTIME cudaMemAdvise(const void *pointer, size_t size, int advice, Location) {
  return inContext([&] { return cuMemAdvise(addressOf(pointer), size, advice, 0); });
}
PTXRAY_RUNTIME cudaMemPrefetchAsync(const void *pointer, size_t size, Location, unsigned, void *stream) {
  return inContext([&] { return cuMemPrefetchAsync(addressOf(pointer), size, 0, stream); });
}

struct PointerAttributes {
  int kind; // 0: the driver does not know it, 1: memory of the host, 2: of the device, 3: managed
  int device;
  void *onDevice, *onHost;
  long reserved[8];
};
PTXRAY_RUNTIME cudaPointerGetAttributes(PointerAttributes *to, const void *pointer) {
  return inContext([&] {
    if (!to || !pointer)
      return Error(InvalidValue);
    enum : int { memoryType = 2, devicePointer = 3, hostPointer = 4, isManaged = 8, ofDevice = 9 };
    *to = {};
    unsigned type = 0;
    char managed = 0;
    if (cuPointerGetAttribute(&type, memoryType, addressOf(pointer))) { // it is the host's own memory
      to->device = -2;
      to->onHost = const_cast<void *>(pointer);
      return Error(Success);
    }
    cuPointerGetAttribute(&managed, isManaged, addressOf(pointer));
    to->kind = managed ? 3 : static_cast<int>(type);
    cuPointerGetAttribute(&to->device, ofDevice, addressOf(pointer));
    cuPointerGetAttribute(&to->onDevice, devicePointer, addressOf(pointer));
    if (cuPointerGetAttribute(&to->onHost, hostPointer, addressOf(pointer)))
      to->onHost = nullptr;
    return Error(Success);
  });
}

// ---- pools

PTXRAY_RUNTIME cudaDeviceGetDefaultMemPool(void **pool, int device) {
  return inContext([&] { return cuDeviceGetDefaultMemPool(pool, device); });
}
PTXRAY_RUNTIME cudaDeviceGetMemPool(void **pool, int device) {
  return inContext([&] { return cuDeviceGetMemPool(pool, device); });
}
PTXRAY_RUNTIME cudaDeviceSetMemPool(int device, void *pool) {
  return inContext([&] { return cuDeviceSetMemPool(device, pool); });
}
PTXRAY_RUNTIME cudaMemPoolCreate(void **pool, const void *properties) {
  return inContext([&] { return cuMemPoolCreate(pool, properties); });
}
PTXRAY_RUNTIME cudaMemPoolDestroy(void *pool) {
  return inContext([&] { return cuMemPoolDestroy(pool); });
}
PTXRAY_RUNTIME cudaMemPoolTrimTo(void *pool, size_t least) {
  return inContext([&] { return cuMemPoolTrimTo(pool, least); });
}
PTXRAY_RUNTIME cudaMemPoolSetAttribute(void *pool, int attribute, void *value) {
  return inContext([&] { return cuMemPoolSetAttribute(pool, attribute, value); });
}
PTXRAY_RUNTIME cudaMemPoolGetAttribute(void *pool, int attribute, void *value) {
  return inContext([&] { return cuMemPoolGetAttribute(pool, attribute, value); });
}
PTXRAY_RUNTIME cudaMemPoolSetAccess(void *pool, const void *accesses, size_t count) {
  return inContext([&] { return cuMemPoolSetAccess(pool, accesses, count); });
}
PTXRAY_RUNTIME cudaMemPoolGetAccess(int *flags, void *pool, void *location) {
  return inContext([&] { return cuMemPoolGetAccess(flags, pool, location); });
}

// ---- fills

PTXRAY_RUNTIME cudaMemsetAsync(void *to, int value, size_t size, void *stream) {
  return inContext([&] {
    return size ? cuMemsetD8Async(addressOf(to), static_cast<unsigned char>(value), size, stream) : Error(Success);
  });
}
PTXRAY_RUNTIME cudaMemset(void *to, int value, size_t size) {
  if (defaultIsOfThread)
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
  if (defaultIsOfThread)
    return cudaMemset2DAsync(to, pitch, value, width, height, defaultStream());
  return inContext(
      [&] { return cuMemsetD2D8_v2(addressOf(to), pitch, static_cast<unsigned char>(value), width, height); });
}
/// The planes of a box follow each other after as many rows as the memory has.
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
