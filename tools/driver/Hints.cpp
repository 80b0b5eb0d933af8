// Hints where managed memory should lie. Nothing moves here, but a client can read its hints again.
#include "State.h"
#include <cstring>

using namespace ptxray::driver;

enum : int { OnNothing = 0, OnDevice = 1, OnHost = 2 };
enum : Device { NoDeviceAtAll = -2, TheHost = -1 };

static Location locationOf(Device device) { return {device == TheHost ? OnHost : OnDevice, device}; }
/// Returns a location as the number of a device, like the first version of the API.
static Device deviceOf(const Location &location) {
  return location.kind == OnNothing ? NoDeviceAtAll : location.kind == OnDevice ? location.number : TheHost;
}
static bool isPossible(const Location &location) {
  return location.kind == OnDevice ? location.number == 0 : location.kind >= OnHost && location.kind <= 4;
}

/// Returns the hints of managed memory, or null for other memory. Hints of variables of modules are not kept.
static Hints *hintsOf(Address address, size_t size) {
  static Hints ofVariables;
  const uint8_t *bytes = bytesAt(address, size);
  auto *block = blockAt(address);
  if (block)
    return bytes && block->second.kind == Block::Kind::Managed ? &block->second.hints : nullptr;
  return bytes && reinterpret_cast<uintptr_t>(bytes) == address ? &ofVariables : nullptr;
}

PTXRAY_API cuMemAdvise_v2(Address address, size_t size, int advice, Location location) {
  PTXRAY_BEGIN;
  enum : int { ReadMostly = 1, NotReadMostly, Preferred, NotPreferred, AccessedBy, NotAccessedBy };
  Hints *hints = hintsOf(address, size);
  if (!hints || ((advice == Preferred || advice > NotPreferred) && !isPossible(location)))
    return InvalidValue;
  switch (advice) {
  case ReadMostly:
  case NotReadMostly: return hints->isReadMostly = advice == ReadMostly, Success;
  case Preferred: return hints->preferred = location, Success;
  case NotPreferred: return hints->preferred = {}, Success;
  case AccessedBy: return hints->accessedBy.insert(deviceOf(location)), Success;
  case NotAccessedBy: return hints->accessedBy.erase(deviceOf(location)), Success;
  default: return InvalidValue;
  }
}
PTXRAY_API cuMemAdvise(Address address, size_t size, int advice, Device device) {
  return cuMemAdvise_v2(address, size, advice, locationOf(device));
}

PTXRAY_API cuMemPrefetchAsync_v2(Address address, size_t size, Location location, unsigned, void *stream) {
  PTXRAY_BEGIN;
  Hints *hints = hintsOf(address, size);
  if (!hints || !isPossible(location) || !streamOf(stream))
    return InvalidValue;
  hints->prefetched = location;
  return Success;
}
PTXRAY_API cuMemPrefetchAsync(Address address, size_t size, Device device, void *stream) {
  return cuMemPrefetchAsync_v2(address, size, locationOf(device), 0, stream);
}
/// Prefetches several pieces of memory. Each location applies to all pieces from its index on.
PTXRAY_API cuMemPrefetchBatchAsync(Address *addresses, size_t *sizes, size_t count, Location *locations, size_t *firsts,
                                   size_t locationCount, uint64_t flags, void *stream) {
  if (!addresses || !sizes || !count || !locations || !firsts || !locationCount || firsts[0] || flags)
    return InvalidValue;
  for (size_t i = 0, at = 0; i < count; ++i) {
    while (at + 1 < locationCount && firsts[at + 1] <= i)
      ++at;
    if (const Result bad = cuMemPrefetchAsync_v2(addresses[i], sizes[i], locations[at], 0, stream))
      return bad;
  }
  return Success;
}
/// Discards memory. Its contents may be lost then, but here they are kept.
PTXRAY_API cuMemDiscardBatchAsync(Address *addresses, size_t *sizes, size_t count, uint64_t flags, void *stream) {
  PTXRAY_BEGIN;
  if (!addresses || !sizes || !count || flags || !streamOf(stream))
    return InvalidValue;
  for (size_t i = 0; i < count; ++i)
    if (!hintsOf(addresses[i], sizes[i]))
      return InvalidValue;
  return Success;
}
PTXRAY_API cuMemDiscardAndPrefetchBatchAsync(Address *addresses, size_t *sizes, size_t count, Location *locations,
                                             size_t *firsts, size_t locationCount, uint64_t flags, void *stream) {
  return cuMemPrefetchBatchAsync(addresses, sizes, count, locations, firsts, locationCount, flags, stream);
}

PTXRAY_API cuMemRangeGetAttribute(void *data, size_t bytes, int attribute, Address address, size_t size) {
  PTXRAY_BEGIN;
  const Hints *hints = hintsOf(address, size);
  if (!data || bytes < sizeof(int) || !hints)
    return InvalidValue;
  const auto give = [&](int value) { return std::memcpy(data, &value, sizeof value), Success; };
  switch (attribute) {
  case CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY: return give(hints->isReadMostly);
  case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION: return give(deviceOf(hints->preferred));
  case CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY: {
    auto device = hints->accessedBy.begin();
    for (size_t at = 0; at < bytes / sizeof(int); ++at)
      static_cast<int *>(data)[at] = device == hints->accessedBy.end() ? NoDeviceAtAll : *device++;
    return Success;
  }
  case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION: return give(deviceOf(hints->prefetched));
  case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE: return give(hints->preferred.kind);
  case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID: return give(hints->preferred.number);
  case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE: return give(hints->prefetched.kind);
  case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID: return give(hints->prefetched.number);
  default: return InvalidValue;
  }
}
PTXRAY_API cuMemRangeGetAttributes(void **data, size_t *bytes, int *attributes, size_t count, Address address,
                                   size_t size) {
  if (!data || !bytes || !attributes || !count)
    return InvalidValue;
  for (size_t i = 0; i < count; ++i)
    if (const Result bad = cuMemRangeGetAttribute(data[i], bytes[i], attributes[i], address, size))
      return bad;
  return Success;
}
