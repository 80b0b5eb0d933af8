// Copies and fills.
#include "State.h"
#include <cstring>

using namespace ptxray::driver;

/// The bytes of a pointer, of the device or else of the host.
static uint8_t *anyBytes(Address address, size_t size) {
  using ptxray::machine::globalBegin;
  const bool isOfDevice = address - globalBegin < uint64_t(1) << 40 || state().memory.find(address);
  return isOfDevice ? bytesAt(address, size) : reinterpret_cast<uint8_t *>(address);
}

static Result copy(uint8_t *to, const uint8_t *from, size_t size) {
  if (!size)
    return Success;
  if (!to || !from)
    return InvalidValue;
  std::memmove(to, from, size);
  return Success;
}

PTXRAY_API cuMemcpyHtoD_v2(Address to, const void *from, size_t size) {
  PTXRAY_BEGIN;
  return copy(bytesAt(to, size), static_cast<const uint8_t *>(from), size);
}
PTXRAY_API cuMemcpyDtoH_v2(void *to, Address from, size_t size) {
  PTXRAY_BEGIN;
  return copy(static_cast<uint8_t *>(to), bytesAt(from, size), size);
}
PTXRAY_API cuMemcpyDtoD_v2(Address to, Address from, size_t size) {
  PTXRAY_BEGIN;
  return copy(bytesAt(to, size), bytesAt(from, size), size);
}
PTXRAY_API cuMemcpy(Address to, Address from, size_t size) {
  PTXRAY_BEGIN;
  return copy(anyBytes(to, size), anyBytes(from, size), size);
}
PTXRAY_API cuMemcpyAsync(Address to, Address from, size_t size, void *) { return cuMemcpy(to, from, size); }
PTXRAY_API cuMemcpyHtoDAsync_v2(Address to, const void *from, size_t size, void *) {
  return cuMemcpyHtoD_v2(to, from, size);
}
PTXRAY_API cuMemcpyDtoHAsync_v2(void *to, Address from, size_t size, void *) { return cuMemcpyDtoH_v2(to, from, size); }
PTXRAY_API cuMemcpyDtoDAsync_v2(Address to, Address from, size_t size, void *) {
  return cuMemcpyDtoD_v2(to, from, size);
}
PTXRAY_API cuMemcpyPeer(Address to, void *, Address from, void *, size_t size) {
  return cuMemcpyDtoD_v2(to, from, size);
}
PTXRAY_API cuMemcpyPeerAsync(Address to, void *, Address from, void *, size_t size, void *) {
  return cuMemcpyDtoD_v2(to, from, size);
}

/// The first byte of one side of a copy of boxes, of which `reach` bytes are read or written from there on.
static uint8_t *sideOf(unsigned kind, void *host, Address device, size_t skipped, size_t reach) {
  if (kind == KindHost)
    return host ? static_cast<uint8_t *>(host) + skipped : nullptr;
  if (kind == KindDevice)
    return bytesAt(device + skipped, reach);
  return kind == KindUnified ? anyBytes(device + skipped, reach) : nullptr;
}

static Result copyBoxes(const Copy3D &c) {
  if (!c.width || !c.height || !c.depth)
    return Success;
  if (c.fromKind == KindArray || c.toKind == KindArray)
    return NotSupported;
  const size_t fromPitch = c.fromPitch ? c.fromPitch : c.width, toPitch = c.toPitch ? c.toPitch : c.width;
  const size_t fromPlane = fromPitch * (c.fromHeight ? c.fromHeight : c.height);
  const size_t toPlane = toPitch * (c.toHeight ? c.toHeight : c.height);
  if (fromPitch < c.width || toPitch < c.width)
    return InvalidValue;
  const auto reach = [&](size_t plane, size_t pitch) {
    return (c.depth - 1) * plane + (c.height - 1) * pitch + c.width;
  };
  const uint8_t *from = sideOf(c.fromKind, const_cast<void *>(c.fromHost), c.fromDevice,
                               c.fromZ * fromPlane + c.fromY * fromPitch + c.fromX, reach(fromPlane, fromPitch));
  uint8_t *to =
      sideOf(c.toKind, c.toHost, c.toDevice, c.toZ * toPlane + c.toY * toPitch + c.toX, reach(toPlane, toPitch));
  if (!from || !to)
    return InvalidValue;
  for (size_t z = 0; z < c.depth; ++z)
    for (size_t y = 0; y < c.height; ++y)
      std::memmove(to + z * toPlane + y * toPitch, from + z * fromPlane + y * fromPitch, c.width);
  return Success;
}

PTXRAY_API cuMemcpy3D_v2(const Copy3D *copy) {
  PTXRAY_BEGIN;
  return copy ? copyBoxes(*copy) : InvalidValue;
}
PTXRAY_API cuMemcpy3DAsync_v2(const Copy3D *copy, void *) { return cuMemcpy3D_v2(copy); }

PTXRAY_API cuMemcpy2D_v2(const Copy2D *given) {
  PTXRAY_BEGIN;
  if (!given)
    return InvalidValue;
  Copy3D c = {};
  c.fromX = given->fromX, c.fromY = given->fromY, c.fromKind = given->fromKind, c.fromHost = given->fromHost;
  c.fromDevice = given->fromDevice, c.fromPitch = given->fromPitch;
  c.toX = given->toX, c.toY = given->toY, c.toKind = given->toKind, c.toHost = given->toHost;
  c.toDevice = given->toDevice, c.toPitch = given->toPitch;
  c.width = given->width, c.height = given->height, c.depth = 1;
  return copyBoxes(c);
}
PTXRAY_API cuMemcpy2DUnaligned_v2(const Copy2D *copy) { return cuMemcpy2D_v2(copy); }
PTXRAY_API cuMemcpy2DAsync_v2(const Copy2D *copy, void *) { return cuMemcpy2D_v2(copy); }

// ---- fills

template <typename T> static Result fill(Address to, size_t pitch, T value, size_t width, size_t height) {
  if (!width || !height)
    return Success;
  if (height > 1 && pitch < width * sizeof(T))
    return InvalidValue;
  uint8_t *bytes = width > SIZE_MAX / sizeof(T) ? nullptr : bytesAt(to, (height - 1) * pitch + width * sizeof(T));
  if (!bytes || to % sizeof(T))
    return InvalidValue;
  for (size_t y = 0; y < height; ++y)
    for (size_t x = 0; x < width; ++x)
      std::memcpy(bytes + y * pitch + x * sizeof(T), &value, sizeof(T));
  return Success;
}

#define PTXRAY_FILLS(bits, type)                                                                                       \
  PTXRAY_API cuMemsetD##bits##_v2(Address to, type value, size_t count) {                                              \
    PTXRAY_BEGIN;                                                                                                      \
    return fill<type>(to, 0, value, count, 1);                                                                         \
  }                                                                                                                    \
  PTXRAY_API cuMemsetD##bits##Async(Address to, type value, size_t count, void *) {                                    \
    return cuMemsetD##bits##_v2(to, value, count);                                                                     \
  }                                                                                                                    \
  PTXRAY_API cuMemsetD2D##bits##_v2(Address to, size_t pitch, type value, size_t width, size_t height) {               \
    PTXRAY_BEGIN;                                                                                                      \
    return fill<type>(to, pitch, value, width, height);                                                                \
  }                                                                                                                    \
  PTXRAY_API cuMemsetD2D##bits##Async(Address to, size_t pitch, type value, size_t width, size_t height, void *) {     \
    return cuMemsetD2D##bits##_v2(to, pitch, value, width, height);                                                    \
  }
PTXRAY_FILLS(8, unsigned char)
PTXRAY_FILLS(16, unsigned short)
PTXRAY_FILLS(32, unsigned)
#undef PTXRAY_FILLS
