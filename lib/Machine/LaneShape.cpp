#include "Machine/LaneShape.h"
#include "Machine/Wide.h"
#include <algorithm>

namespace ptxray::machine {

/// Finds the runs of consecutive elements, in the order of lanes.
static void findRuns(LaneShape &shape, uint8_t many) {
  shape.runs = 0;
  uint8_t elements = 0;
  int64_t end = 0;
  for (uint32_t left = shape.mask; left; left &= left - 1) {
    const auto lane = static_cast<uint8_t>(__builtin_ctz(left));
    const int64_t one = shape.distances[lane];
    if (shape.runs && one + shape.bytes == end) {
      shape.lanes[elements - 1] = many;
      continue;
    }
    if (!shape.runs || one != end) {
      shape.run[shape.runs++] = {one, elements, 0};
      end = one;
    }
    end += shape.bytes;
    shape.lanes[elements++] = lane;
    ++shape.run[shape.runs - 1].elements;
  }
}

/// Removes runs with the same location as the first one, and marks its elements as read by several lanes.
static void joinRuns(LaneShape &shape) {
  const LaneShape::Run first = shape.run[0];
  uint8_t kept = 1;
  for (uint8_t i = 1; i < shape.runs; ++i) {
    const LaneShape::Run one = shape.run[i];
    if (one.at == first.at && one.elements == first.elements)
      std::fill_n(shape.lanes.begin() + first.first, first.elements, manyLanes);
    else
      shape.run[kept++] = one;
  }
  shape.runs = kept;
}

/// Finds the groups of lanes that access consecutive elements, or the same element.
static void findGroups(LaneShape &shape) {
  shape.rows = shape.same = 0;
  for (unsigned first = 0; first < warpSize; first += LaneShape::groupLanes) {
    bool isRow = true, isSame = true;
    for (unsigned i = 1; i < LaneShape::groupLanes; ++i) {
      const int64_t distance = shape.distances[first + i] - shape.distances[first];
      isRow &= distance == int64_t(i) * shape.bytes;
      isSame &= distance == 0;
    }
    shape.rows |= static_cast<uint8_t>(isRow << first / LaneShape::groupLanes);
    shape.same |= static_cast<uint8_t>(isSame << first / LaneShape::groupLanes);
  }
}

void LaneShape::find(const uint64_t *at, uint32_t lanesOfAccess, const MemoryAccess &access) {
  constexpr unsigned atOnce = 32; // bytes: two cells of global shadow memory
  mask = lanesOfAccess;
  bytes = access.bytes;
  lane = static_cast<unsigned>(__builtin_ctz(mask));
  low = high = 0;
  ++version;
  int64_t unaligned = 0, differ = 0, notRow = 0;
  for (unsigned i = 0; i < warpSize; ++i) {
    const bool isIn = mask >> i & 1;
    const int64_t distance = isIn ? static_cast<int64_t>(at[i] - at[lane]) : 0;
    isLane[i] = isIn ? ~uint64_t(0) : 0;
    distances[i] = distance;
    narrow[i] = static_cast<uint32_t>(distance);
    low = std::min(low, distance);
    high = std::max(high, distance);
    unaligned |= distance;
    differ |= distance;
    notRow |= distance ^ (int64_t(i) * bytes);
  }
  isRow = mask == allLanes && !notRow;
  isSame = mask == allLanes && !differ;
  areCells = !((unaligned | bytes) & (bytesOfCell - 1));
  span = static_cast<uint64_t>(high - low) + bytes;
  findGroups(*this);
  isAligned = !(unaligned & (access.alignment - 1));
  isQuick = isAligned && (access.address.base.bits == 64 || (low >= INT32_MIN && high <= INT32_MAX));
  // If several lanes write the same bytes, each of them reports its own write.
  findRuns(*this, access.isWrite ? wholeWarp : manyLanes);
  if (!access.isWrite)
    joinRuns(*this);
  areWide = true;
  for (unsigned i = 0; i < runs; ++i)
    areWide &= (run[i].at - low) % atOnce == 0 && run[i].elements * bytes % atOnce == 0;
  for (unsigned i = 0; i < warpSize; ++i)
    lanesOfCells[i] = lanes[i] * 0x01010101u;
}

template <class Register>
static PTXRAY_INLINE bool addAll(const Register *base, uint64_t offset, uint64_t bits, const LaneShape &shape,
                                 uint64_t *__restrict at) {
  const uint64_t first = (base[shape.lane] + offset) & bits;
  const int64_t *const distances = shape.distances.data();
  const uint64_t *const isLane = shape.isLane.data();
  uint64_t differ = 0;
  if (shape.mask == allLanes) {
    for (unsigned i = 0; i < warpSize; ++i) {
      const uint64_t one = (base[i] + offset) & bits;
      at[i] = one;
      differ |= (one - first) ^ static_cast<uint64_t>(distances[i]);
    }
    return !differ;
  }
  for (unsigned i = 0; i < warpSize; ++i) {
    const uint64_t one = (base[i] + offset) & bits;
    at[i] = one;
    differ |= ((one - first) ^ static_cast<uint64_t>(distances[i])) & isLane[i];
  }
  return !differ;
}

static PTXRAY_INLINE bool addByWidth(const char *registers, const AddressOf &address, const LaneShape &shape,
                                     uint64_t *at) {
  const auto offset = static_cast<uint64_t>(address.offset);
  const bool isWide = address.space == Space::Generic || address.space == Space::Global;
  const char *const base = registers + address.base.slot;
  if (address.base.bits == 64)
    return addAll(reinterpret_cast<const uint64_t *>(base), offset, ~uint64_t(0), shape, at);
  return addAll(reinterpret_cast<const uint32_t *>(base), offset, isWide ? ~uint64_t(0) : 0xffffffff, shape, at);
}

static PTXRAY_FOR_AVX2 bool addWide(const char *registers, const AddressOf &address, const LaneShape &shape,
                                    uint64_t *at) {
  return addByWidth(registers, address, shape, at);
}

bool findAddresses(const char *registers, const AddressOf &address, const LaneShape &shape, uint64_t *at) {
  if (!address.base.bits) {
    std::fill_n(at, warpSize, static_cast<uint64_t>(address.offset));
    return shape.isSame;
  }
  return (isWide() ? addWide : addByWidth)(registers, address, shape, at) && shape.mask;
}

} // namespace ptxray::machine
