// Copies: linear ones, rows, and boxes, from and to arrays and variables.
#include "Runtime.h"
#include <algorithm>

namespace ptxray::runtime {

/// The time of a copy: at once, or in the order of a stream.
struct When {
  bool isNow;
  void *stream;
};

static Error copyBytes(void *to, const void *from, size_t size, int direction, When when) {
  if (!size)
    return Success;
  if (!to || !from)
    return InvalidValue;
  const Address target = addressOf(to), source = addressOf(from);
  switch (direction) {
  case HostToDevice:
    return when.isNow ? cuMemcpyHtoD_v2(target, from, size) : cuMemcpyHtoDAsync_v2(target, from, size, when.stream);
  case DeviceToHost:
    return when.isNow ? cuMemcpyDtoH_v2(to, source, size) : cuMemcpyDtoHAsync_v2(to, source, size, when.stream);
  case DeviceToDevice:
    return when.isNow ? cuMemcpyDtoD_v2(target, source, size) : cuMemcpyDtoDAsync_v2(target, source, size, when.stream);
  case HostToHost:
  case AnyDirection:
    return when.isNow ? cuMemcpy(target, source, size) : cuMemcpyAsync(target, source, size, when.stream);
  default: return InvalidDirection;
  }
}

/// One side of a copy of rows: memory, or the part of an array from an offset in bytes on.
struct Side {
  const void *bytes = nullptr;
  size_t pitch = 0;
  void *array = nullptr;
  size_t x = 0, y = 0;
};

/// Returns the kind of memory on one side of a copy.
static unsigned kindOf(const Side &side, int direction, bool isSource) {
  if (side.array)
    return KindArray;
  if (direction == AnyDirection || direction == HostToHost)
    return direction == HostToHost ? KindHost : KindUnified;
  const bool isOfDevice = isSource ? direction == DeviceToHost || direction == DeviceToDevice
                                   : direction == HostToDevice || direction == DeviceToDevice;
  return isOfDevice ? KindDevice : KindHost;
}

static Error copyRows(const Side &to, const Side &from, size_t width, size_t height, int direction, When when) {
  if (direction < HostToHost || direction > AnyDirection)
    return InvalidDirection;
  if (!width || !height)
    return Success;
  if ((!to.array && to.pitch < width) || (!from.array && from.pitch < width))
    return InvalidPitch;
  Copy2D copy = {};
  copy.fromKind = kindOf(from, direction, true);
  copy.fromHost = from.bytes;
  copy.fromDevice = addressOf(from.bytes);
  copy.fromPitch = from.pitch;
  copy.fromArray = from.array;
  copy.fromX = from.x;
  copy.fromY = from.y;
  copy.toKind = kindOf(to, direction, false);
  copy.toHost = const_cast<void *>(to.bytes);
  copy.toDevice = addressOf(to.bytes);
  copy.toPitch = to.pitch;
  copy.toArray = to.array;
  copy.toX = to.x;
  copy.toY = to.y;
  copy.width = width;
  copy.height = height;
  return when.isNow ? cuMemcpy2DUnaligned_v2(&copy) : cuMemcpy2DAsync_v2(&copy, when.stream);
}

/// Copies between an array and memory without a pitch, one row of the array after another.
static Error copyThrough(Side to, Side from, size_t size, int direction, When when) {
  ArrayDescription described;
  void *array = to.array ? to.array : from.array;
  if (const Error bad = cuArray3DGetDescriptor_v2(&described, array))
    return bad;
  const size_t width = described.width * described.channels * bytesOfFormat(described.format);
  Side &inArray = to.array ? to : from, &inMemory = to.array ? from : to;
  while (size) {
    const size_t part = std::min(size, width - inArray.x);
    inMemory.pitch = part;
    if (const Error bad = copyRows(to, from, part, 1, direction, when))
      return bad;
    inMemory.bytes = static_cast<const char *>(inMemory.bytes) + part;
    inArray.x = 0;
    ++inArray.y;
    size -= part;
  }
  return Success;
}

static Error bytesOfElement(size_t &bytes, void *array) {
  ArrayDescription described;
  const Error bad = cuArray3DGetDescriptor_v2(&described, array);
  bytes = bad ? 0 : described.channels * bytesOfFormat(described.format);
  return bad;
}

Error boxesOf(Copy3D &boxes, const Copy3DParameters &asked) {
  if (asked.direction < HostToHost || asked.direction > AnyDirection)
    return InvalidDirection;
  size_t element = 1;
  if (void *array = asked.fromArray ? asked.fromArray : asked.toArray)
    if (const Error bad = bytesOfElement(element, array))
      return bad;
  boxes = {};
  boxes.fromKind = kindOf({nullptr, 0, asked.fromArray}, asked.direction, true);
  boxes.fromHost = asked.from.bytes;
  boxes.fromDevice = addressOf(asked.from.bytes);
  boxes.fromPitch = asked.from.pitch;
  boxes.fromHeight = asked.from.height;
  boxes.fromArray = asked.fromArray;
  boxes.fromX = asked.fromAt.x * (asked.fromArray ? element : 1);
  boxes.fromY = asked.fromAt.y;
  boxes.fromZ = asked.fromAt.z;
  boxes.toKind = kindOf({nullptr, 0, asked.toArray}, asked.direction, false);
  boxes.toHost = asked.to.bytes;
  boxes.toDevice = addressOf(asked.to.bytes);
  boxes.toPitch = asked.to.pitch;
  boxes.toHeight = asked.to.height;
  boxes.toArray = asked.toArray;
  boxes.toX = asked.toAt.x * (asked.toArray ? element : 1);
  boxes.toY = asked.toAt.y;
  boxes.toZ = asked.toAt.z;
  boxes.width = asked.extent.width * element;
  boxes.height = asked.extent.height;
  boxes.depth = asked.extent.depth;
  return Success;
}

static Error copyBoxes(const Copy3DParameters *asked, When when) {
  return inContext([&] {
    Copy3D boxes;
    if (!asked)
      return Error(InvalidValue);
    if (const Error bad = boxesOf(boxes, *asked))
      return bad;
    return Error(when.isNow ? cuMemcpy3D_v2(&boxes) : cuMemcpy3DAsync_v2(&boxes, when.stream));
  });
}

/// Copies to or from a variable of the device.
static Error copyVariable(const void *symbol, void *to, const void *from, size_t size, size_t offset, int direction,
                          When when) {
  return inContext([&] {
    Place place;
    if (const Error bad = placeOf(place, symbol))
      return bad;
    if (offset > place.size || size > place.size - offset)
      return Error(InvalidValue);
    void *const variable = reinterpret_cast<void *>(place.address + offset);
    return copyBytes(to ? to : variable, from ? from : variable, size, direction, when);
  });
}

} // namespace ptxray::runtime

using namespace ptxray::runtime;

/// Returns that the caller waits for the copy. With a per-thread default stream, the function that made the call waits
/// itself.
static When now() { return {!DefaultOfThread::isSet, defaultStream()}; }
static When on(void *stream) { return {false, stream}; }

PTXRAY_RUNTIME cudaMemcpy(void *to, const void *from, size_t size, int direction) {
  return inContext([&] { return copyBytes(to, from, size, direction, now()); });
}
PTXRAY_RUNTIME cudaMemcpyAsync(void *to, const void *from, size_t size, int direction, void *stream) {
  return inContext([&] { return copyBytes(to, from, size, direction, on(stream)); });
}
PTXRAY_RUNTIME cudaMemcpyPeer(void *to, int, const void *from, int, size_t size) {
  return cudaMemcpy(to, from, size, DeviceToDevice);
}
PTXRAY_RUNTIME cudaMemcpyPeerAsync(void *to, int, const void *from, int, size_t size, void *stream) {
  return cudaMemcpyAsync(to, from, size, DeviceToDevice, stream);
}

PTXRAY_RUNTIME cudaMemcpy2D(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width, size_t height,
                            int direction) {
  return inContext([&] { return copyRows({to, toPitch}, {from, fromPitch}, width, height, direction, now()); });
}
PTXRAY_RUNTIME cudaMemcpy2DAsync(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width,
                                 size_t height, int direction, void *stream) {
  return inContext([&] { return copyRows({to, toPitch}, {from, fromPitch}, width, height, direction, on(stream)); });
}
PTXRAY_RUNTIME cudaMemcpy2DToArray(void *to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
                                   size_t height, int direction) {
  return inContext([&] { return copyRows({nullptr, 0, to, x, y}, {from, pitch}, width, height, direction, now()); });
}
PTXRAY_RUNTIME cudaMemcpy2DToArrayAsync(void *to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
                                        size_t height, int direction, void *stream) {
  return inContext(
      [&] { return copyRows({nullptr, 0, to, x, y}, {from, pitch}, width, height, direction, on(stream)); });
}
PTXRAY_RUNTIME cudaMemcpy2DFromArray(void *to, size_t pitch, void *from, size_t x, size_t y, size_t width,
                                     size_t height, int direction) {
  return inContext([&] { return copyRows({to, pitch}, {nullptr, 0, from, x, y}, width, height, direction, now()); });
}
PTXRAY_RUNTIME cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, void *from, size_t x, size_t y, size_t width,
                                          size_t height, int direction, void *stream) {
  return inContext(
      [&] { return copyRows({to, pitch}, {nullptr, 0, from, x, y}, width, height, direction, on(stream)); });
}
PTXRAY_RUNTIME cudaMemcpy2DArrayToArray(void *to, size_t toX, size_t toY, void *from, size_t fromX, size_t fromY,
                                        size_t width, size_t height, int direction) {
  return inContext([&] {
    return copyRows({nullptr, 0, to, toX, toY}, {nullptr, 0, from, fromX, fromY}, width, height, direction, now());
  });
}
PTXRAY_RUNTIME cudaMemcpyToArray(void *to, size_t x, size_t y, const void *from, size_t size, int direction) {
  return inContext([&] { return copyThrough({nullptr, 0, to, x, y}, {from}, size, direction, now()); });
}
PTXRAY_RUNTIME cudaMemcpyFromArray(void *to, void *from, size_t x, size_t y, size_t size, int direction) {
  return inContext([&] { return copyThrough({to}, {nullptr, 0, from, x, y}, size, direction, now()); });
}
PTXRAY_RUNTIME cudaMemcpyToArrayAsync(void *to, size_t x, size_t y, const void *from, size_t size, int direction,
                                      void *stream) {
  return inContext([&] { return copyThrough({nullptr, 0, to, x, y}, {from}, size, direction, on(stream)); });
}
PTXRAY_RUNTIME cudaMemcpyFromArrayAsync(void *to, void *from, size_t x, size_t y, size_t size, int direction,
                                        void *stream) {
  return inContext([&] { return copyThrough({to}, {nullptr, 0, from, x, y}, size, direction, on(stream)); });
}
PTXRAY_RUNTIME cudaMemcpyArrayToArray(void *to, size_t toX, size_t toY, void *from, size_t fromX, size_t fromY,
                                      size_t size, int direction) {
  return inContext([&] {
    return copyThrough({nullptr, 0, to, toX, toY}, {nullptr, 0, from, fromX, fromY}, size, direction, now());
  });
}
PTXRAY_RUNTIME cudaMemcpy3D(const Copy3DParameters *asked) { return copyBoxes(asked, now()); }
PTXRAY_RUNTIME cudaMemcpy3DAsync(const Copy3DParameters *asked, void *stream) { return copyBoxes(asked, on(stream)); }

// ---- variables of the device

PTXRAY_RUNTIME cudaGetSymbolAddress(void **to, const void *symbol) {
  return inContext([&] {
    Place place;
    const Error bad = to ? placeOf(place, symbol) : Error(InvalidValue);
    if (!bad)
      *to = reinterpret_cast<void *>(place.address);
    return bad;
  });
}
PTXRAY_RUNTIME cudaGetSymbolSize(size_t *size, const void *symbol) {
  return inContext([&] {
    Place place;
    const Error bad = size ? placeOf(place, symbol) : Error(InvalidValue);
    if (!bad)
      *size = place.size;
    return bad;
  });
}
PTXRAY_RUNTIME cudaMemcpyToSymbol(const void *symbol, const void *from, size_t size, size_t offset, int direction) {
  return copyVariable(symbol, nullptr, from, size, offset, direction, now());
}
PTXRAY_RUNTIME cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t size, size_t offset, int direction,
                                       void *stream) {
  return copyVariable(symbol, nullptr, from, size, offset, direction, on(stream));
}
PTXRAY_RUNTIME cudaMemcpyFromSymbol(void *to, const void *symbol, size_t size, size_t offset, int direction) {
  return copyVariable(symbol, to, nullptr, size, offset, direction, now());
}
PTXRAY_RUNTIME cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t size, size_t offset, int direction,
                                         void *stream) {
  return copyVariable(symbol, to, nullptr, size, offset, direction, on(stream));
}
