// Allocates, copies, and fills memory. Memory of the host has the same address on the device.
#include "State.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>
#include <sys/mman.h>

using namespace ptxray;
using namespace ptxray::driver;

// Blocks of more than 1 MiB begin at a multiple of 2 MiB, as on an H200: some clients depend on it.
static constexpr size_t largestUnaligned = size_t(1) << 20, largeAlignment = size_t(2) << 20;

/// Returns zeroed memory of the host, or null if there is none.
static uint8_t *mapMemory(size_t size) {
  const size_t more = size > largestUnaligned ? largeAlignment : 0;
  constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void *mapped = mmap(nullptr, size + more, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (mapped == MAP_FAILED)
    return nullptr;
  auto *const bytes = static_cast<uint8_t *>(mapped);
  if (!more)
    return bytes;
  auto *const begin = reinterpret_cast<uint8_t *>(llvm::alignTo(reinterpret_cast<uintptr_t>(bytes), largeAlignment));
  uint8_t *const end = reinterpret_cast<uint8_t *>(llvm::alignTo(reinterpret_cast<uintptr_t>(begin + size), 4096));
  if (begin != bytes)
    munmap(bytes, begin - bytes);
  if (bytes + size + more > end)
    munmap(end, bytes + size + more - end);
  return begin;
}

/// Adds memory to the device and returns its address.
static Address addToDevice(llvm::MutableArrayRef<uint8_t> bytes, const std::string &name) {
  State &s = state();
  constexpr uint64_t gap = 4096; // `skipTo` leaves this gap between two blocks
  const auto add = [&] { return s.followsUnwritten ? s.memory.addFresh(bytes, name) : s.memory.add(bytes, name); };
  const bool isLarge = bytes.size() > largestUnaligned;
  if (isLarge)
    s.memory.skipTo(llvm::alignTo(s.deviceEnd + gap, largeAlignment) - gap);
  Address begin = add();
  if (isLarge && begin % largeAlignment) { // the memory of a module came in between
    s.memory.free(begin);
    s.memory.trim();
    s.memory.skipTo(llvm::alignTo(begin, largeAlignment) - gap);
    begin = add();
  }
  s.deviceEnd = begin + bytes.size();
  return begin;
}

Result ptxray::driver::allocate(Address *to, size_t size, Block::Kind kind) {
  State &s = state();
  if (!to || !size)
    return InvalidValue;
  if (size > (size_t(s.chip->memory) << 30) - s.usedBytes)
    return OutOfMemory;
  uint8_t *begin = mapMemory(size);
  if (!begin)
    return OutOfMemory;
  const std::string name = "the memory of " + std::to_string(size) + " bytes";
  if (kind == Block::Kind::Device)
    *to = addToDevice({begin, size}, name);
  else
    s.memory.addAt(*to = reinterpret_cast<uintptr_t>(begin), {begin, size}, name);
  s.blocks.emplace(*to, Block{kind, begin, size});
  s.usedBytes += size;
  return Success;
}

Result ptxray::driver::release(Address address, bool ofHost) {
  State &s = state();
  const auto found = s.blocks.find(address);
  if (found == s.blocks.end() || found->second.kind == Block::Kind::Registered ||
      ofHost != (found->second.kind == Block::Kind::Host))
    return InvalidValue;
  if (GraphMemory *ofGraph = found->second.ofGraph) { // the launches of the graph use the memory again
    const bool wasLive = std::exchange(ofGraph->isLive, false);
    s.graphBytes.used -= wasLive ? found->second.size : 0;
    return wasLive ? Success : InvalidValue;
  }
  s.memory.free(address);
  s.memory.trim();
  munmap(found->second.bytes, found->second.size);
  s.usedBytes -= found->second.size;
  s.blocks.erase(found);
  return Success;
}

PTXRAY_API cuMemAlloc_v2(Address *to, size_t size) {
  PTXRAY_BEGIN;
  return allocate(to, size, Block::Kind::Device);
}

PTXRAY_API cuMemAllocPitch_v2(Address *to, size_t *pitch, size_t width, size_t height, unsigned element) {
  PTXRAY_BEGIN;
  if (!pitch || !width || !height || (element != 4 && element != 8 && element != 16) ||
      height > SIZE_MAX / 1024 / width)
    return InvalidValue;
  *pitch = (width + 511) / 512 * 512;
  return allocate(to, *pitch * height, Block::Kind::Device);
}

PTXRAY_API cuMemAllocManaged(Address *to, size_t size, unsigned flags) {
  PTXRAY_BEGIN;
  return flags ? allocate(to, size, Block::Kind::Managed) : InvalidValue;
}

PTXRAY_API cuMemFree_v2(Address address) {
  PTXRAY_BEGIN;
  if (!address)
    return Success;
  if (const Result bad = finishAll())
    return bad;
  return release(address, false);
}

PTXRAY_API cuMemHostAlloc(void **to, size_t size, unsigned) {
  PTXRAY_BEGIN;
  Address address = 0;
  const Result result = to ? allocate(&address, size, Block::Kind::Host) : InvalidValue;
  if (result == Success)
    *to = reinterpret_cast<void *>(address);
  return result;
}

PTXRAY_API cuMemAllocHost_v2(void **to, size_t size) { return cuMemHostAlloc(to, size, 0); }

PTXRAY_API cuMemFreeHost(void *bytes) {
  PTXRAY_BEGIN;
  if (const Result bad = finishAll())
    return bad;
  return release(reinterpret_cast<uintptr_t>(bytes), true);
}

PTXRAY_API cuMemHostRegister_v2(void *bytes, size_t size, unsigned) {
  PTXRAY_BEGIN;
  const Address address = reinterpret_cast<uintptr_t>(bytes);
  if (!bytes || !size || blockAt(address))
    return InvalidValue;
  auto *begin = static_cast<uint8_t *>(bytes);
  state().memory.addAt(address, {begin, size}, "registered memory");
  state().blocks.emplace(address, Block{Block::Kind::Registered, begin, size});
  return Success;
}

PTXRAY_API cuMemHostUnregister(void *bytes) {
  PTXRAY_BEGIN;
  const auto found = state().blocks.find(reinterpret_cast<uintptr_t>(bytes));
  if (found == state().blocks.end() || found->second.kind != Block::Kind::Registered)
    return bytes ? NotRegistered : InvalidValue;
  if (const Result bad = finishAll())
    return bad;
  state().memory.free(found->first);
  state().blocks.erase(found);
  return Success;
}

PTXRAY_API cuMemHostGetDevicePointer_v2(Address *to, void *bytes, unsigned) {
  PTXRAY_BEGIN;
  const Address address = reinterpret_cast<uintptr_t>(bytes);
  if (!to || !blockAt(address))
    return InvalidValue;
  *to = address;
  return Success;
}

PTXRAY_API cuMemHostGetFlags(unsigned *flags, void *bytes) {
  PTXRAY_BEGIN;
  if (!flags || !blockAt(reinterpret_cast<uintptr_t>(bytes)))
    return InvalidValue;
  *flags = 0;
  return Success;
}

PTXRAY_API cuMemGetInfo_v2(size_t *free, size_t *total) {
  PTXRAY_BEGIN;
  const size_t all = size_t(state().chip->memory) << 30;
  if (free)
    *free = all - state().usedBytes;
  if (total)
    *total = all;
  return Success;
}

PTXRAY_API cuMemGetAddressRange_v2(Address *begin, size_t *size, Address address) {
  PTXRAY_BEGIN;
  const machine::Allocation *found = state().memory.find(address);
  if (!found)
    return NotFound;
  if (begin)
    *begin = found->begin;
  if (size)
    *size = found->end - found->begin;
  return Success;
}

PTXRAY_API cuPointerGetAttribute(void *data, int attribute, Address address) {
  const Anywhere anywhere;
  PTXRAY_BEGIN;
  const auto *found = blockAt(address);
  const machine::Allocation *allocation = state().memory.find(address);
  if (!data || (!found && !allocation))
    return InvalidValue;
  const bool isShared = !found && allocation->begin == reinterpret_cast<uintptr_t>(allocation->bytes);
  const Block::Kind kind = found ? found->second.kind : isShared ? Block::Kind::Managed : Block::Kind::Device;
  const bool isOfHost = kind == Block::Kind::Host || kind == Block::Kind::Registered;
  const auto give = [&](auto value) {
    return std::memcpy(data, static_cast<const void *>(&value), sizeof value), Success;
  };
  switch (attribute) {
  case CU_POINTER_ATTRIBUTE_CONTEXT:
    return give(contextStack().empty() ? nullptr : static_cast<void *>(contextStack().back()));
  case CU_POINTER_ATTRIBUTE_MEMORY_TYPE: return give(unsigned(isOfHost ? 1 : 2));
  case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: return give(address);
  case CU_POINTER_ATTRIBUTE_HOST_POINTER: return kind == Block::Kind::Device ? InvalidValue : give(address);
  case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS: return give(int(0));
  case CU_POINTER_ATTRIBUTE_BUFFER_ID: return give((unsigned long long)(allocation->begin));
  case CU_POINTER_ATTRIBUTE_IS_MANAGED: return give(char(kind == Block::Kind::Managed));
  case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: return give(int(0));
  case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR: return give(allocation->begin);
  case CU_POINTER_ATTRIBUTE_RANGE_SIZE: return give(size_t(allocation->end - allocation->begin));
  case CU_POINTER_ATTRIBUTE_MAPPED: return give(char(1));
  default: return NotSupported;
  }
}

PTXRAY_API cuPointerGetAttributes(unsigned count, int *attributes, void **data, Address address) {
  const Anywhere anywhere;
  PTXRAY_BEGIN;
  if (!count || !attributes || !data)
    return InvalidValue;
  for (unsigned i = 0; i < count; ++i)
    if (cuPointerGetAttribute(data[i], attributes[i], address) != Success && data[i])
      std::memset(data[i], 0, attributes[i] == CU_POINTER_ATTRIBUTE_IS_MANAGED ? 1 : 4);
  return Success;
}
PTXRAY_API cuPointerSetAttribute(const void *value, int attribute, Address address) {
  PTXRAY_BEGIN;
  const bool canBeSet = attribute == CU_POINTER_ATTRIBUTE_SYNC_MEMOPS;
  return value && canBeSet && blockAt(address) ? Success : InvalidValue;
}
