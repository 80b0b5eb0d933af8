#include "Machine/Memory.h"
#include <algorithm>
#include <bit>
#include <cstring>

namespace ptxray::machine {

static constexpr uint64_t heapHeader = 16, heapAlignment = 16; // sizes in each allocation, as on a GPU

static uint64_t heapBytes(uint64_t bytes) {
  return (bytes + heapAlignment - 1) / heapAlignment * heapAlignment + heapHeader;
}

uint8_t *Heap::take(uint64_t bytes) {
  if (bytes > limit || heapBytes(bytes) > limit - std::min(taken, limit))
    return nullptr;
  const unsigned size = std::bit_width(heapBytes(bytes) - 1);
  Room room;
  if (free[size].empty())
    room.reset(new uint8_t[size_t(1) << size]);
  else {
    room = std::move(free[size].back());
    free[size].pop_back();
  }
  std::memset(room.get(), 0, bytes);
  taken += heapBytes(bytes);
  uint8_t *const begin = room.get();
  used[begin] = std::move(room);
  return begin;
}

void Heap::give(uint8_t *bytes, uint64_t count) {
  const auto found = used.find(bytes);
  if (found == used.end())
    return;
  taken -= heapBytes(count);
  free[std::bit_width(heapBytes(count) - 1)].push_back(std::move(found->second));
  used.erase(found);
}

void Heap::dropFree() {
  for (std::vector<Room> &rooms : free)
    rooms.clear();
}

uint64_t Memory::addHeap(uint64_t bytes) {
  uint8_t *const room = heap.take(bytes);
  if (!room)
    return 0;
  const uint64_t address = add({room, bytes}, "malloc");
  heapBegins[address] = true;
  return address;
}

HeapAddress Memory::freeHeap(uint64_t address) {
  const auto found = heapBegins.find(address);
  if (found != heapBegins.end() && !found->second)
    return HeapAddress::Freed;
  if (found == heapBegins.end()) {
    const Allocation *around = find(address);
    return around && heapBegins.contains(around->begin) ? HeapAddress::Inside : HeapAddress::Foreign;
  }
  found->second = false;
  if (const Allocation *one = before(address);
      one && one->begin == address) { // otherwise, the allocation was empty and has been removed
    heap.give(one->bytes, one->end - one->begin);
    free(address);
  }
  return HeapAddress::Allocated;
}

void Memory::rewindHeap(uint64_t mark) {
  for (auto &[address, isUsed] : heapBegins)
    if (address >= mark && isUsed)
      freeHeap(address);
  dropFreedHeap();
  trim();
  const auto isUsed = [this, mark](const Place &one) {
    return one.begin >= mark && allocations[one.number].end > one.begin;
  };
  if (llvm::none_of(sorted, isUsed))
    next = mark;
}

void Memory::dropFreedHeap() {
  heap.dropFree();
  std::erase_if(heapBegins, [](const auto &one) { return !one.second; });
}

uint64_t Memory::add(llvm::MutableArrayRef<uint8_t> bytes, llvm::StringRef name, bool isConstant) {
  const uint64_t begin = next;
  addAt(begin, bytes, name);
  beginningAt(begin)->isConstant = isConstant;
  skipTo(begin + bytes.size());
  return begin;
}

static constexpr uint64_t freshBlock = 16; // granularity of the detection of uninitialised bytes

/// Returns the fill pattern for uninitialised memory. In every format of at least 16 bits, it is a small number or NaN.
static uint32_t freshWord(uint64_t index) {
  return (static_cast<uint32_t>(index) * 0x9E3779B1 + 0x7F4A7C15) & 0xBFFFBFFF;
}

uint64_t Memory::addFresh(llvm::MutableArrayRef<uint8_t> bytes, llvm::StringRef name) {
  constexpr size_t largest = size_t(64) << 20;
  const uint64_t begin = add(bytes, name);
  if (bytes.size() > largest)
    return begin;
  for (size_t at = 0; at + sizeof(uint32_t) <= bytes.size(); at += sizeof(uint32_t)) {
    const uint32_t word = freshWord(at / sizeof word);
    std::memcpy(bytes.data() + at, &word, sizeof word);
  }
  beginningAt(begin)->isFresh = hasFresh = true;
  return begin;
}

bool Allocation::areUnwritten(uint64_t offset, uint64_t count) const {
  const uint64_t last = (offset + count + freshBlock - 1) / freshBlock * freshBlock;
  if (!isFresh || last > end - begin)
    return false;
  for (uint64_t at = offset / freshBlock * freshBlock; at < last; at += sizeof(uint32_t)) {
    uint32_t word;
    std::memcpy(&word, bytes + at, sizeof word);
    if (word != freshWord(at / sizeof word))
      return false;
  }
  return true;
}

void Memory::skipTo(uint64_t address) {
  constexpr uint64_t alignment = 512,
                     gap = 4096; // alignment of a driver; writes slightly beyond the end do not hit other allocations
  next = std::max(next, (address + gap + alignment - 1) / alignment * alignment);
}

size_t Memory::indexAfter(uint64_t address) const {
  return static_cast<size_t>(std::ranges::upper_bound(sorted, address, {}, &Place::begin) - sorted.begin());
}

Allocation *Memory::beginningAt(uint64_t address) {
  const size_t after = indexAfter(address);
  return after && sorted[after - 1].begin == address ? &allocations[sorted[after - 1].number] : nullptr;
}

void Memory::addAt(uint64_t address, llvm::MutableArrayRef<uint8_t> bytes, llvm::StringRef name) {
  const auto number = static_cast<uint32_t>(allocations.size());
  const size_t after = indexAfter(address);
  if (after && sorted[after - 1].begin == address) // replaces a freed allocation
    sorted[after - 1].number = number;
  else
    sorted.insert(sorted.begin() + static_cast<ptrdiff_t>(after), {address, number});
  allocations.push_back({address, address + bytes.size(), bytes.data(), name.str(), number});
}

void Memory::free(uint64_t address) {
  if (Allocation *one = beginningAt(address))
    one->end = address;
}

void Memory::trim() {
  while (!allocations.empty() && allocations.back().end == allocations.back().begin) {
    const size_t after = indexAfter(allocations.back().begin);
    if (after && sorted[after - 1].number == allocations.back().number)
      sorted.erase(sorted.begin() + static_cast<ptrdiff_t>(after - 1));
    allocations.pop_back();
  }
}

const Allocation *Memory::before(uint64_t address) const {
  const size_t after = indexAfter(address);
  return after ? &allocations[sorted[after - 1].number] : nullptr;
}

const Allocation *Memory::find(uint64_t address) const {
  const Allocation *one = before(address);
  return one && address < one->end ? one : nullptr;
}

uint64_t Memory::addObject(ImageObject object) {
  constexpr uint64_t distance = 32; // distance between handles, so that arithmetic on one yields no other
  const uint64_t handle = nextHandle;
  nextHandle += distance;
  bind(handle, std::move(object));
  return handle;
}

const ImageObject *Memory::object(uint64_t handle) const {
  const auto found = objects.find(handle);
  return found == objects.end() ? nullptr : &found->second;
}

} // namespace ptxray::machine
