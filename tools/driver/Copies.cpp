// Copies and fills.
#include "Arrays.h"
#include "State.h"
#include <cstring>

using namespace ptxray::driver;

/// Returns whether the address is one of the device, given as a pointer of either kind.
static bool isOfDevice(Address address) {
  using ptxray::machine::globalBegin;
  return address - globalBegin < uint64_t(1) << 40 || state().memory.find(address);
}

namespace {

/// One side of a copy of boxes: its first byte, and the distances between rows and between planes in bytes.
struct Side {
  uint8_t *begin = nullptr;
  size_t pitch = 0, plane = 0;
};

} // namespace

static Side sideOf(unsigned kind, void *host, Address device, void *array, size_t pitch, size_t height, size_t x,
                   size_t y, size_t z, const Copy3D &c) {
  Side side;
  if (kind == KindArray) {
    const ArrayPlace place = placeIn(array, x, y, z, c.width, c.height, c.depth);
    return {place.begin, place.pitch, place.plane};
  }
  side.pitch = pitch ? pitch : c.width;
  side.plane = side.pitch * (height ? height : c.height);
  if (side.pitch < c.width && c.height > 1)
    return {};
  const size_t skipped = z * side.plane + y * side.pitch + x;
  const size_t reach = (c.depth - 1) * side.plane + (c.height - 1) * side.pitch + c.width;
  if (kind == KindHost || (kind == KindUnified && !isOfDevice(device))) {
    auto *bytes = static_cast<uint8_t *>(kind == KindHost ? host : reinterpret_cast<void *>(device));
    side.begin = bytes ? bytes + skipped : nullptr;
  } else if (kind == KindDevice || kind == KindUnified) {
    side.begin = bytesAt(device + skipped, reach);
  }
  return side;
}
static Side source(const Copy3D &c) {
  return sideOf(c.fromKind, const_cast<void *>(c.fromHost), c.fromDevice, c.fromArray, c.fromPitch, c.fromHeight,
                c.fromX, c.fromY, c.fromZ, c);
}
static Side target(const Copy3D &c) {
  return sideOf(c.toKind, c.toHost, c.toDevice, c.toArray, c.toPitch, c.toHeight, c.toX, c.toY, c.toZ, c);
}

static bool isEmpty(const Copy3D &c) { return !c.width || !c.height || !c.depth; }

static void copyRows(const Side &to, const Side &from, const Copy3D &c) {
  for (size_t z = 0; z < c.depth; ++z)
    for (size_t y = 0; y < c.height; ++y)
      std::memmove(to.begin + z * to.plane + y * to.pitch, from.begin + z * from.plane + y * from.pitch, c.width);
}

Result ptxray::driver::problemOf(const CopyWork &copy) {
  const Copy3D &c = copy.boxes;
  return isEmpty(c) || (source(c).begin && target(c).begin) ? Success : InvalidValue;
}

Result ptxray::driver::performCopy(const CopyWork &copy) {
  if (const Result bad = problemOf(copy))
    return bad;
  if (!isEmpty(copy.boxes))
    copyRows(target(copy.boxes), source(copy.boxes), copy.boxes);
  return Success;
}

/// Returns whether a side is memory of the host that was neither allocated nor registered with the driver.
static bool isPageable(unsigned kind, const void *host, Address device) {
  if (kind == KindHost)
    return !blockAt(reinterpret_cast<uintptr_t>(host));
  return kind == KindUnified && !isOfDevice(device);
}
static bool readsPageable(const Copy3D &c) { return isPageable(c.fromKind, c.fromHost, c.fromDevice); }
static bool writesPageable(const Copy3D &c) { return isPageable(c.toKind, c.toHost, c.toDevice); }

/// Reads the source of a copy immediately, like a driver that cannot pin its memory.
static CopyWork staged(const Copy3D &c) {
  CopyWork work = {c};
  work.staged = std::make_shared<std::vector<uint8_t>>(c.width * c.height * c.depth);
  copyRows({work.staged->data(), c.width, c.width * c.height}, source(c), c);
  Copy3D &boxes = work.boxes;
  boxes.fromKind = KindHost;
  boxes.fromHost = work.staged->data();
  boxes.fromPitch = c.width;
  boxes.fromHeight = c.height;
  boxes.fromX = boxes.fromY = boxes.fromZ = 0;
  return work;
}

static Result copyAsync(const Copy3D &c, void *handle) {
  PTXRAY_BEGIN;
  const auto stream = streamOf(handle);
  if (!stream)
    return InvalidHandle;
  if (const Result bad = problemOf(CopyWork{c}))
    return bad;
  if (stream->capture)
    return start(handle, CopyWork{c});
  if (writesPageable(c)) {
    if (const Result bad = start(handle, CopyWork{c}))
      return bad;
    return finish(handle);
  }
  return start(handle, readsPageable(c) && !isEmpty(c) ? staged(c) : CopyWork{c});
}

/// Copies and waits for the end. No driver waits for copies within the device.
static Result copyNow(const Copy3D &c) {
  PTXRAY_BEGIN;
  const auto isOfHost = [](unsigned kind, Address device) {
    const auto *block = blockAt(device);
    const bool isHostBlock = block && block->second.kind != Block::Kind::Device;
    return kind == KindHost || (kind == KindUnified && (!isOfDevice(device) || isHostBlock));
  };
  if (const Result bad = problemOf(CopyWork{c}))
    return bad;
  if (!isOfHost(c.fromKind, c.fromDevice) && !isOfHost(c.toKind, c.toDevice))
    return start(nullptr, CopyWork{c});
  if (const Result bad = finishDefault())
    return bad;
  return performCopy({c});
}

// ---- copies of one dimension

static Copy3D copyOf(unsigned toKind, Address to, unsigned fromKind, Address from, size_t size) {
  Copy3D c = {};
  c.fromKind = fromKind, c.fromDevice = from, c.fromHost = reinterpret_cast<void *>(from);
  c.toKind = toKind, c.toDevice = to, c.toHost = reinterpret_cast<void *>(to);
  c.width = size, c.height = c.depth = 1;
  return c;
}
static Copy3D fromHost(Address to, const void *from, size_t size) {
  return copyOf(KindDevice, to, KindHost, reinterpret_cast<uintptr_t>(from), size);
}
static Copy3D toHost(void *to, Address from, size_t size) {
  return copyOf(KindHost, reinterpret_cast<uintptr_t>(to), KindDevice, from, size);
}
static Copy3D onDevice(Address to, Address from, size_t size) { return copyOf(KindDevice, to, KindDevice, from, size); }
static Copy3D between(Address to, Address from, size_t size) {
  return copyOf(KindUnified, to, KindUnified, from, size);
}

PTXRAY_API cuMemcpyHtoD_v2(Address to, const void *from, size_t size) { return copyNow(fromHost(to, from, size)); }
PTXRAY_API cuMemcpyDtoH_v2(void *to, Address from, size_t size) { return copyNow(toHost(to, from, size)); }
PTXRAY_API cuMemcpyDtoD_v2(Address to, Address from, size_t size) { return copyNow(onDevice(to, from, size)); }
PTXRAY_API cuMemcpy(Address to, Address from, size_t size) { return copyNow(between(to, from, size)); }
PTXRAY_API cuMemcpyAsync(Address to, Address from, size_t size, void *stream) {
  return copyAsync(between(to, from, size), stream);
}
PTXRAY_API cuMemcpyHtoDAsync_v2(Address to, const void *from, size_t size, void *stream) {
  return copyAsync(fromHost(to, from, size), stream);
}
PTXRAY_API cuMemcpyDtoHAsync_v2(void *to, Address from, size_t size, void *stream) {
  return copyAsync(toHost(to, from, size), stream);
}
PTXRAY_API cuMemcpyDtoDAsync_v2(Address to, Address from, size_t size, void *stream) {
  return copyAsync(onDevice(to, from, size), stream);
}
PTXRAY_API cuMemcpyBatchAsync_v2(Address *to, Address *from, size_t *sizes, size_t count, void *, size_t *, size_t,
                                 void *stream) {
  if (!to || !from || !sizes || !count)
    return InvalidValue;
  for (size_t i = 0; i < count; ++i)
    if (const Result bad = cuMemcpyAsync(to[i], from[i], sizes[i], stream))
      return bad;
  return Success;
}
/// Never sets `failed`, the index of a copy that fails.
PTXRAY_API cuMemcpyBatchAsync(Address *to, Address *from, size_t *sizes, size_t count, void *attributes, size_t *firsts,
                              size_t attributeCount, size_t *, void *stream) {
  return cuMemcpyBatchAsync_v2(to, from, sizes, count, attributes, firsts, attributeCount, stream);
}
PTXRAY_API cuMemcpyWithAttributesAsync(Address to, Address from, size_t size, void *, void *stream) {
  return cuMemcpyAsync(to, from, size, stream);
}
PTXRAY_API cuMemcpyPeer(Address to, void *, Address from, void *, size_t size) {
  return copyNow(onDevice(to, from, size));
}
PTXRAY_API cuMemcpyPeerAsync(Address to, void *, Address from, void *, size_t size, void *stream) {
  return copyAsync(onDevice(to, from, size), stream);
}

static Copy3D onArray(void *to, size_t toX, void *from, size_t fromX, size_t size) {
  Copy3D c = copyOf(KindArray, 0, KindArray, 0, size);
  c.toArray = to, c.toX = toX, c.fromArray = from, c.fromX = fromX;
  return c;
}
static Copy3D toArray(void *to, size_t toX, unsigned kind, Address from, size_t size) {
  Copy3D c = copyOf(KindArray, 0, kind, from, size);
  c.toArray = to, c.toX = toX;
  return c;
}
static Copy3D fromArray(unsigned kind, Address to, void *from, size_t fromX, size_t size) {
  Copy3D c = copyOf(kind, to, KindArray, 0, size);
  c.fromArray = from, c.fromX = fromX;
  return c;
}
PTXRAY_API cuMemcpyAtoA_v2(void *to, size_t toX, void *from, size_t fromX, size_t size) {
  return copyNow(onArray(to, toX, from, fromX, size));
}
PTXRAY_API cuMemcpyDtoA_v2(void *to, size_t toX, Address from, size_t size) {
  return copyNow(toArray(to, toX, KindDevice, from, size));
}
PTXRAY_API cuMemcpyHtoA_v2(void *to, size_t toX, const void *from, size_t size) {
  return copyNow(toArray(to, toX, KindHost, reinterpret_cast<uintptr_t>(from), size));
}
PTXRAY_API cuMemcpyHtoAAsync_v2(void *to, size_t toX, const void *from, size_t size, void *stream) {
  return copyAsync(toArray(to, toX, KindHost, reinterpret_cast<uintptr_t>(from), size), stream);
}
PTXRAY_API cuMemcpyAtoD_v2(Address to, void *from, size_t fromX, size_t size) {
  return copyNow(fromArray(KindDevice, to, from, fromX, size));
}
PTXRAY_API cuMemcpyAtoH_v2(void *to, void *from, size_t fromX, size_t size) {
  return copyNow(fromArray(KindHost, reinterpret_cast<uintptr_t>(to), from, fromX, size));
}
PTXRAY_API cuMemcpyAtoHAsync_v2(void *to, void *from, size_t fromX, size_t size, void *stream) {
  return copyAsync(fromArray(KindHost, reinterpret_cast<uintptr_t>(to), from, fromX, size), stream);
}

// ---- copies of boxes

static Copy3D boxesOf(const Copy2D &given) {
  Copy3D c = {};
  c.fromX = given.fromX, c.fromY = given.fromY, c.fromKind = given.fromKind, c.fromHost = given.fromHost;
  c.fromDevice = given.fromDevice, c.fromArray = given.fromArray, c.fromPitch = given.fromPitch;
  c.toX = given.toX, c.toY = given.toY, c.toKind = given.toKind, c.toHost = given.toHost;
  c.toDevice = given.toDevice, c.toArray = given.toArray, c.toPitch = given.toPitch;
  c.width = given.width, c.height = given.height, c.depth = 1;
  return c;
}

PTXRAY_API cuMemcpy3D_v2(const Copy3D *copy) { return copy ? copyNow(*copy) : InvalidValue; }
PTXRAY_API cuMemcpy3DAsync_v2(const Copy3D *copy, void *stream) {
  return copy ? copyAsync(*copy, stream) : InvalidValue;
}
PTXRAY_API cuMemcpy2D_v2(const Copy2D *copy) { return copy ? copyNow(boxesOf(*copy)) : InvalidValue; }
PTXRAY_API cuMemcpy2DUnaligned_v2(const Copy2D *copy) { return cuMemcpy2D_v2(copy); }
PTXRAY_API cuMemcpy2DAsync_v2(const Copy2D *copy, void *stream) {
  return copy ? copyAsync(boxesOf(*copy), stream) : InvalidValue;
}

// ---- fills

Result ptxray::driver::problemOf(const FillWork &fill) {
  if (!fill.width || !fill.height)
    return Success;
  if (fill.width > SIZE_MAX / 4 || (fill.height > 1 && fill.pitch < fill.width * fill.bytes) || fill.to % fill.bytes)
    return InvalidValue;
  return bytesAt(fill.to, (fill.height - 1) * fill.pitch + fill.width * fill.bytes) ? Success : InvalidValue;
}

Result ptxray::driver::performFill(const FillWork &fill) {
  if (const Result bad = problemOf(fill))
    return bad;
  if (!fill.width || !fill.height)
    return Success;
  uint8_t *bytes = bytesAt(fill.to, (fill.height - 1) * fill.pitch + fill.width * fill.bytes);
  for (size_t y = 0; y < fill.height; ++y)
    if (fill.bytes == 1)
      std::memset(bytes + y * fill.pitch, static_cast<int>(fill.value), fill.width);
    else
      for (size_t x = 0; x < fill.width; ++x)
        std::memcpy(bytes + y * fill.pitch + x * fill.bytes, &fill.value, fill.bytes);
  return Success;
}

/// Starts a fill. The call waits for its end only if it fills memory of the host.
static Result startFill(const FillWork &fill, void *stream, bool waits) {
  PTXRAY_BEGIN;
  if (const Result bad = problemOf(fill))
    return bad;
  if (const Result bad = start(stream, fill))
    return bad;
  const auto *block = blockAt(fill.to);
  return waits && block && block->second.kind != Block::Kind::Device ? finish(stream) : Success;
}

#define PTXRAY_FILLS(bits, type)                                                                                       \
  PTXRAY_API cuMemsetD##bits##_v2(Address to, type value, size_t count) {                                              \
    return startFill({to, 0, value, (bits) / 8, count, 1}, nullptr, true);                                             \
  }                                                                                                                    \
  PTXRAY_API cuMemsetD##bits##Async(Address to, type value, size_t count, void *stream) {                              \
    return startFill({to, 0, value, (bits) / 8, count, 1}, stream, false);                                             \
  }                                                                                                                    \
  PTXRAY_API cuMemsetD2D##bits##_v2(Address to, size_t pitch, type value, size_t width, size_t height) {               \
    return startFill({to, pitch, value, (bits) / 8, width, height}, nullptr, true);                                    \
  }                                                                                                                    \
  PTXRAY_API cuMemsetD2D##bits##Async(Address to, size_t pitch, type value, size_t width, size_t height,               \
                                      void *stream) {                                                                  \
    return startFill({to, pitch, value, (bits) / 8, width, height}, stream, false);                                    \
  }
PTXRAY_FILLS(8, unsigned char)
PTXRAY_FILLS(16, unsigned short)
PTXRAY_FILLS(32, unsigned)
#undef PTXRAY_FILLS
