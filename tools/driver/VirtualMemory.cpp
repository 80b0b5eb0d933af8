// Reserves ranges of addresses, makes memory, and maps it into the ranges. A range has the addresses of the host.
#include "State.h"
#include <sys/mman.h>
#include <unistd.h>

using namespace ptxray;
using namespace ptxray::driver;

static constexpr size_t granularity = size_t(2) << 20;

static bool isWhole(Address address, size_t size) { return size && !(address % granularity) && !(size % granularity); }
static bool isPossible(const AllocationProperties *asked) {
  return asked && asked->kind == 1 && asked->location.kind == 1 && asked->location.number == 0;
}

/// Returns the range that holds some addresses, or null if they are not reserved.
static std::pair<const Address, Reservation> *rangeOf(Address address, size_t size) {
  auto &ranges = state().reservations;
  auto after = ranges.upper_bound(address);
  if (after == ranges.begin())
    return nullptr;
  auto &found = *std::prev(after);
  const size_t offset = address - found.first;
  return offset <= found.second.size && size <= found.second.size - offset ? &found : nullptr;
}

/// Makes mapped and accessible memory known to the machine. Adjacent pieces become one allocation.
static void expose(Reservation &range) {
  State &s = state();
  for (const Address address : range.exposed)
    s.memory.free(address);
  range.exposed.clear();
  for (auto at = range.mappings.begin(); at != range.mappings.end();) {
    const Address begin = at->first;
    Address end = begin;
    for (; at != range.mappings.end() && at->first == end && at->second.isAccessible; ++at)
      end += at->second.size;
    if (end == begin) {
      ++at;
      continue;
    }
    s.memory.addAt(begin, {reinterpret_cast<uint8_t *>(begin), size_t(end - begin)}, "mapped memory");
    range.exposed.push_back(begin);
  }
}

PTXRAY_API cuMemGetAllocationGranularity(size_t *to, const AllocationProperties *asked, int option) {
  if (!to || !isPossible(asked) || option < 0 || option > 1)
    return InvalidValue;
  *to = granularity;
  return Success;
}

PTXRAY_API cuMemAddressReserve(Address *to, size_t size, size_t alignment, Address, uint64_t flags) {
  PTXRAY_BEGIN;
  if (!to || flags || !isWhole(0, size) || (alignment & (alignment - 1)))
    return InvalidValue;
  const size_t aligned = std::max(alignment, granularity);
  if (size > SIZE_MAX - aligned)
    return OutOfMemory;
  void *made = mmap(nullptr, size + aligned, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (made == MAP_FAILED)
    return OutOfMemory;
  const auto begin = reinterpret_cast<uintptr_t>(made);
  *to = (begin + aligned - 1) / aligned * aligned;
  state().reservations[*to] = {size, made, size + aligned, {}, {}};
  return Success;
}

PTXRAY_API cuMemAddressFree(Address address, size_t size) {
  PTXRAY_BEGIN;
  const auto found = state().reservations.find(address);
  if (found == state().reservations.end() || found->second.size != size || !found->second.mappings.empty())
    return InvalidValue;
  munmap(found->second.all, found->second.allBytes);
  state().reservations.erase(found);
  return Success;
}

PTXRAY_API cuMemCreate(unsigned long long *to, size_t size, const AllocationProperties *asked, uint64_t flags) {
  PTXRAY_BEGIN;
  State &s = state();
  if (!to || flags || !isWhole(0, size) || !isPossible(asked))
    return InvalidValue;
  if (size > (size_t(s.chip->memory) << 30) - s.usedBytes)
    return OutOfMemory;
  const int file = memfd_create("ptxray", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, static_cast<off_t>(size))) {
    if (file >= 0)
      close(file);
    return OutOfMemory;
  }
  s.usedBytes += size;
  *to = ++s.lastNumber;
  s.physical[*to] = {size, file, 1};
  return Success;
}

/// Frees a piece of memory when neither a handle nor a mapping is left.
static void drop(std::map<uint64_t, PhysicalMemory>::iterator found) {
  if (--found->second.count)
    return;
  close(found->second.file);
  state().usedBytes -= found->second.size;
  state().physical.erase(found);
}

PTXRAY_API cuMemRelease(uint64_t handle) {
  PTXRAY_BEGIN;
  const auto found = state().physical.find(handle);
  if (found == state().physical.end())
    return InvalidValue;
  drop(found);
  return Success;
}

PTXRAY_API cuMemMap(Address address, size_t size, size_t offset, uint64_t handle, uint64_t flags) {
  PTXRAY_BEGIN;
  const auto found = state().physical.find(handle);
  auto *range = rangeOf(address, size);
  if (flags || offset || found == state().physical.end() || !range || !isWhole(address, size) ||
      size > found->second.size)
    return InvalidValue;
  auto &mappings = range->second.mappings;
  const auto after = mappings.lower_bound(address);
  if ((after != mappings.end() && after->first < address + size) ||
      (after != mappings.begin() && std::prev(after)->first + std::prev(after)->second.size > address))
    return InvalidValue;
  if (mmap(reinterpret_cast<void *>(address), size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, found->second.file,
           0) == MAP_FAILED)
    return OutOfMemory;
  ++found->second.count;
  mappings[address] = {size, handle, false};
  return Success;
}

PTXRAY_API cuMemUnmap(Address address, size_t size) {
  PTXRAY_BEGIN;
  auto *range = rangeOf(address, size);
  if (!range || !isWhole(address, size))
    return InvalidValue;
  auto &mappings = range->second.mappings;
  const auto first = mappings.lower_bound(address), last = mappings.lower_bound(address + size);
  if (first == last)
    return Success; // no memory is mapped
  if (std::prev(last)->first + std::prev(last)->second.size > address + size)
    return InvalidValue;
  if (const Result bad = finishAll())
    return bad;
  for (auto at = first; at != last; ++at)
    drop(state().physical.find(at->second.handle));
  mappings.erase(first, last);
  expose(range->second);
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
  const void *left = mmap(reinterpret_cast<void *>(address), size, PROT_NONE, flags, -1, 0);
  return left == MAP_FAILED ? OutOfMemory : Success;
}

PTXRAY_API cuMemSetAccess(Address address, size_t size, const AccessDescription *asked, size_t count) {
  PTXRAY_BEGIN;
  auto *range = rangeOf(address, size);
  if (!range || !asked || !count || !isWhole(address, size))
    return InvalidValue;
  auto &mappings = range->second.mappings;
  const auto first = mappings.lower_bound(address), last = mappings.lower_bound(address + size);
  Address reached = address;
  for (auto at = first; at != last && at->first == reached; ++at)
    reached += at->second.size;
  if (reached != address + size)
    return InvalidValue;
  if (const Result bad = finishAll())
    return bad;
  for (size_t i = 0; i < count; ++i)
    for (auto at = first; at != last; ++at)
      if (asked[i].location.kind == 1)
        at->second.isAccessible = asked[i].flags != 0;
  expose(range->second);
  return Success;
}

PTXRAY_API cuMemGetAccess(unsigned long long *flags, const void *location, Address address) {
  PTXRAY_BEGIN;
  const auto *range = rangeOf(address, 1);
  if (!flags || !location || !range)
    return InvalidValue;
  const auto after = range->second.mappings.upper_bound(address);
  if (after == range->second.mappings.begin())
    return InvalidValue;
  *flags = std::prev(after)->second.isAccessible ? 3 : 0;
  return Success;
}

PTXRAY_API cuMemGetAllocationPropertiesFromHandle(AllocationProperties *to, uint64_t handle) {
  PTXRAY_BEGIN;
  if (!to || !state().physical.contains(handle))
    return InvalidValue;
  *to = {1, 0, {1, 0}, nullptr, {}};
  return Success;
}

PTXRAY_API cuMemRetainAllocationHandle(unsigned long long *to, void *address) {
  PTXRAY_BEGIN;
  const auto *range = rangeOf(reinterpret_cast<uintptr_t>(address), 1);
  if (!to || !range)
    return InvalidValue;
  const auto after = range->second.mappings.upper_bound(reinterpret_cast<uintptr_t>(address));
  if (after == range->second.mappings.begin())
    return InvalidValue;
  *to = std::prev(after)->second.handle;
  ++state().physical[*to].count;
  return Success;
}
