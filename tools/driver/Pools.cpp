// Allocates memory in the order of a stream: from pools, and in nodes of graphs. Every block is allocated at once,
// whatever its pool. The block of a node exists before the first launch and after the last one.
#include "Capture.h"
#include "State.h"
#include <cstring>

using namespace ptxray::driver;

static Result allocateFrom(Address *to, size_t size, const Pool &pool, void *handle) {
  const auto stream = streamOf(handle);
  if (!to || !stream)
    return to ? InvalidHandle : InvalidValue;
  if (stream->capture) {
    AllocNodeParameters asked = {};
    AllocWork work;
    asked.size = size;
    const Result bad = allocWork(work, asked);
    *to = asked.address;
    return bad ? bad : start(handle, std::move(work));
  }
  if (!size)
    return *to = 0, Success;
  return allocate(to, size, pool.isOfDevice ? Block::Kind::Device : Block::Kind::Managed);
}
PTXRAY_API cuMemAllocAsync(Address *to, size_t size, void *stream) {
  PTXRAY_BEGIN;
  return allocateFrom(to, size, {}, stream);
}
PTXRAY_API cuMemAllocFromPoolAsync(Address *to, size_t size, void *pool, void *stream) {
  PTXRAY_BEGIN;
  return state().pools.contains(pool) ? allocateFrom(to, size, *static_cast<Pool *>(pool), stream) : InvalidValue;
}
PTXRAY_API cuMemFreeAsync(Address address, void *stream) {
  PTXRAY_BEGIN;
  const auto found = state().blocks.find(address);
  if (!address)
    return Success;
  if (found == state().blocks.end() ||
      (found->second.kind != Block::Kind::Device && found->second.kind != Block::Kind::Managed))
    return InvalidValue;
  return start(stream, FreeWork{address});
}

// ---- pools

PTXRAY_API cuDeviceGetDefaultMemPool(void **pool, Device device) {
  const Lock lock(state().mutex);
  static Pool one;
  if (!pool || device)
    return pool ? InvalidDevice : InvalidValue;
  state().pools.insert(&one);
  *pool = &one;
  return Success;
}
PTXRAY_API cuDeviceGetMemPool(void **pool, Device device) { return cuDeviceGetDefaultMemPool(pool, device); }
PTXRAY_API cuDeviceSetMemPool(Device, void *pool) {
  const Lock lock(state().mutex);
  return state().pools.contains(pool) ? Success : InvalidValue;
}

static bool isOfDevice(int kind, const Location &location) {
  constexpr int pinned = 1, device = 1;
  return kind == pinned && location.kind == device;
}
/// Returns the default pool of a location and a kind of memory.
PTXRAY_API cuMemGetDefaultMemPool(void **pool, const Location *location, int kind) {
  const Lock lock(state().mutex);
  static Pool shared{false, {}};
  if (!pool || !location || kind < 1 || kind > 2)
    return InvalidValue;
  if (isOfDevice(kind, *location))
    return cuDeviceGetDefaultMemPool(pool, location->number);
  state().pools.insert(&shared);
  *pool = &shared;
  return Success;
}
PTXRAY_API cuMemGetMemPool(void **pool, const Location *location, int kind) {
  return cuMemGetDefaultMemPool(pool, location, kind);
}
PTXRAY_API cuMemSetMemPool(const Location *location, int kind, void *pool) {
  const Lock lock(state().mutex);
  return location && kind >= 1 && kind <= 2 && state().pools.contains(pool) ? Success : InvalidValue;
}

PTXRAY_API cuMemPoolCreate(void **pool, const PoolProperties *asked) {
  const Anywhere anywhere;
  PTXRAY_BEGIN;
  if (!pool || !asked)
    return InvalidValue;
  *pool = new Pool{isOfDevice(asked->kind, asked->location), {}};
  state().pools.insert(*pool);
  return Success;
}
PTXRAY_API cuMemPoolDestroy(void *pool) {
  const Anywhere anywhere;
  PTXRAY_BEGIN;
  return state().pools.erase(pool) ? Success : InvalidValue;
}
PTXRAY_API cuMemPoolTrimTo(void *pool, size_t) {
  const Anywhere anywhere;
  PTXRAY_BEGIN;
  return state().pools.contains(pool) ? Success : InvalidValue;
}

static size_t bytesOfOption(int attribute) {
  return attribute <= CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES ? 4 : 8;
}
PTXRAY_API cuMemPoolSetAttribute(void *pool, int attribute, void *value) {
  const Anywhere anywhere;
  PTXRAY_BEGIN;
  if (!state().pools.contains(pool) || !value || attribute < 1 || attribute > 8)
    return InvalidValue;
  std::memcpy(&static_cast<Pool *>(pool)->options[attribute], value, bytesOfOption(attribute));
  return Success;
}
PTXRAY_API cuMemPoolGetAttribute(void *pool, int attribute, void *value) {
  const Anywhere anywhere;
  PTXRAY_BEGIN;
  if (!state().pools.contains(pool) || !value)
    return InvalidValue;
  std::memcpy(value, &static_cast<Pool *>(pool)->options[attribute], bytesOfOption(attribute));
  return Success;
}
PTXRAY_API cuMemPoolSetAccess(void *pool, const void *, size_t) {
  const Anywhere anywhere;
  PTXRAY_BEGIN;
  return state().pools.contains(pool) ? Success : InvalidValue;
}
PTXRAY_API cuMemPoolGetAccess(int *flags, void *pool, const void *) {
  const Anywhere anywhere;
  PTXRAY_BEGIN;
  if (!flags || !state().pools.contains(pool))
    return InvalidValue;
  *flags = 3; // to read and to write
  return Success;
}

// ---- memory of graphs

namespace ptxray::driver {

GraphMemory::~GraphMemory() {
  State &s = state();
  const auto found = s.blocks.find(asked.address);
  if (found == s.blocks.end() || found->second.ofGraph != this)
    return;
  found->second.ofGraph = nullptr; // the client owns the memory that a launch has left
  if (!isLive)
    release(asked.address, false);
}

Result allocWork(AllocWork &work, AllocNodeParameters &asked) {
  const bool isOfDevice = !asked.pool.kind || ::isOfDevice(asked.pool.kind, asked.pool.location);
  if (const Result bad = allocate(&asked.address, std::max<size_t>(asked.size, 1),
                                  isOfDevice ? Block::Kind::Device : Block::Kind::Managed))
    return bad;
  work.memory = std::make_shared<GraphMemory>();
  work.memory->asked = asked;
  state().blocks.find(asked.address)->second.ofGraph = work.memory.get();
  return Success;
}

bool isOfGraph(Address address) {
  const auto found = state().blocks.find(address);
  return found != state().blocks.end() && found->second.ofGraph;
}

Result performAlloc(const AllocWork &alloc) {
  GraphMemory &memory = *alloc.memory;
  GraphBytes &bytes = state().graphBytes;
  if (!std::exchange(memory.isLive, true))
    bytes.used += std::max<size_t>(memory.asked.size, 1);
  bytes.mostUsed = std::max(bytes.mostUsed, bytes.used);
  bytes.reserved = std::max(bytes.reserved, bytes.used);
  bytes.mostReserved = std::max(bytes.mostReserved, bytes.reserved);
  return Success;
}

} // namespace ptxray::driver

/// Returns an attribute of the memory of graphs: the used bytes, the highest number of used bytes, the reserved bytes,
/// or the highest number of reserved bytes.
static size_t *graphBytes(int attribute) {
  GraphBytes &bytes = state().graphBytes;
  size_t *const all[] = {&bytes.used, &bytes.mostUsed, &bytes.reserved, &bytes.mostReserved};
  return attribute < 0 || attribute > 3 ? nullptr : all[attribute];
}
PTXRAY_API cuDeviceGetGraphMemAttribute(Device device, int attribute, void *value) {
  const Anywhere anywhere;
  PTXRAY_BEGIN;
  const size_t *found = graphBytes(attribute);
  if (device || !value || !found)
    return device ? InvalidDevice : InvalidValue;
  std::memcpy(value, found, sizeof *found);
  return Success;
}
PTXRAY_API cuDeviceSetGraphMemAttribute(Device device, int attribute, void *value) {
  const Anywhere anywhere;
  PTXRAY_BEGIN;
  size_t *found = graphBytes(attribute);
  if (device || !value || !found || attribute % 2 == 0 || *static_cast<uint64_t *>(value))
    return device ? InvalidDevice : InvalidValue;
  *found = found[-1];
  return Success;
}
PTXRAY_API cuDeviceGraphMemTrim(Device device) {
  const Anywhere anywhere;
  PTXRAY_BEGIN;
  if (device)
    return InvalidDevice;
  state().graphBytes.reserved = state().graphBytes.used;
  return Success;
}
