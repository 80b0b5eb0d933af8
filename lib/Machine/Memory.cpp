#include "Machine/Memory.h"
#include <algorithm>

namespace ptxray::machine {

uint64_t Memory::add(llvm::MutableArrayRef<uint8_t> bytes, llvm::StringRef name, bool isConstant) {
  constexpr uint64_t alignment = 512,
                     gap = 4096; // the alignment is that of a driver; what is written beyond an end hits nothing
  Allocation &one = allocations.emplace_back();
  one.begin = next;
  one.end = next + bytes.size();
  one.bytes = bytes.data();
  one.name = name.str();
  one.isConstant = isConstant;
  next = (one.end + gap + alignment - 1) / alignment * alignment;
  return one.begin;
}

void Memory::free(uint64_t address) {
  for (Allocation &one : allocations)
    if (one.begin == address)
      one.end = one.begin;
}

const Allocation *Memory::before(uint64_t address) const {
  const auto after = std::ranges::upper_bound(allocations, address, {}, &Allocation::begin);
  return after == allocations.begin() ? nullptr : &*std::prev(after);
}

const Allocation *Memory::find(uint64_t address) const {
  const Allocation *one = before(address);
  return one && address < one->end ? one : nullptr;
}

} // namespace ptxray::machine
