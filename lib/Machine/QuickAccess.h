#pragma once
// Fast paths for the most common case: accesses of a full warp whose addresses have the same distances as in the last
// execution. Access.cpp handles all other accesses, and all accesses on x86 processors without AVX2.
#include "Machine/Access.h"
#include "Machine/Grid.h"
#include "Machine/Wide.h"

namespace ptxray::machine {

/// The memory that all lanes access.
struct Row {
  LaneShape *shape = nullptr;
  uint8_t *first = nullptr;    // bytes of the first lane; null if the fast path does not apply
  BlockState *owner = nullptr; // block whose shared memory is accessed; null for global memory
  const Allocation *allocation = nullptr;
  uint64_t offset = 0; // offset of the lowest address in the shared memory or the allocation
};

/// Returns whether the processor can execute these functions.
inline bool canBeQuick() {
#if defined(__x86_64__)
  return isWide();
#else
  return true;
#endif
}

/// Returns whether all lanes have the given distances from the first lane.
template <class Register>
PTXRAY_FOR_AVX2 PTXRAY_INLINE bool haveDistances(const Register *base, const Register *distances) {
  constexpr unsigned lanes = 32 / sizeof(Register);
  typedef Register Vector __attribute__((vector_size(32), aligned(sizeof(Register)), may_alias));
  typedef uint64_t Words __attribute__((vector_size(32)));
  typedef long long SignedWords __attribute__((vector_size(32)));
  const Vector *const from = reinterpret_cast<const Vector *>(base); // `auto` would lose the alignment
  const Vector *const wanted = reinterpret_cast<const Vector *>(distances);
  const Vector first = Vector{} + base[0];
  Vector differ = {};
  for (unsigned i = 0; i < warpSize / lanes; ++i)
    differ |= (from[i] - first) ^ wanted[i];
  const auto words = reinterpret_cast<Words>(differ);
#if defined(__x86_64__)
  return __builtin_ia32_ptestz256(reinterpret_cast<SignedWords>(words), reinterpret_cast<SignedWords>(words));
#else
  return !(words[0] | words[1] | words[2] | words[3]);
#endif
}

/// Finds the memory of an access for the fast path. It applies if the warp itself accesses memory with all lanes,
/// distances are unchanged, and no observer needs more. If `IsAsBefore` is set, the variable or allocation must also be
/// unchanged.
template <bool IsAsBefore>
PTXRAY_FOR_AVX2 PTXRAY_INLINE Row findRow(const char *registers, const Op &op, const MemoryAccess &access,
                                          uint32_t mask, Warp &warp) {
  if (mask != allLanes || !warp.isPlain || warp.doer.agent || warp.doer.stage != Stage::Whole)
    return {};
  LaneShape *const shape = warp.cache.shapes[access.number];
  if (!shape || !shape->isQuick)
    return {};
  const char *const base = registers + access.address.base.slot;
  uint64_t address;
  if (access.address.base.bits == 32) {
    const auto *const lanes = reinterpret_cast<const uint32_t *>(base);
    if (!haveDistances(lanes, shape->narrow.data()))
      return {};
    address = lanes[0] + static_cast<uint32_t>(access.address.offset);
  } else {
    const auto *const lanes = reinterpret_cast<const uint64_t *>(base);
    if (!haveDistances(lanes, reinterpret_cast<const uint64_t *>(shape->distances.data())))
      return {};
    address = lanes[0] + static_cast<uint64_t>(access.address.offset);
  }
  const Space space = access.address.space;
  const uint64_t low = address + static_cast<uint64_t>(shape->low), beforeFirst = address - low;
  if (address & (access.alignment - 1))
    return {};
  if (space == Space::Shared || (space == Space::Generic && low / windowBytes == sharedWindow / windowBytes)) {
    const uint64_t at = space == Space::Shared ? low : low - sharedWindow, rank = at >> sharedRankShift;
    if (rank >= warp.block->cluster.size())
      return {};
    BlockState *const owner = warp.block->cluster[rank];
    if (!warp.block->reaches(*owner))
      return {};
    const uint64_t offset = at & sharedOffsetMask;
    ByteRun &zone = shape->zone;
    if (!IsAsBefore && (offset < zone.begin || offset >= zone.end))
      zone = sharedZoneAt(*warp.block->grid, offset);
    if (offset < zone.begin || offset >= zone.end || shape->span > zone.end - offset)
      return {};
    return {shape, owner->shared.data() + offset + beforeFirst, owner, nullptr, offset};
  }
  if (low < globalBegin)
    return {};
  const Allocation *const one = IsAsBefore ? lastAllocationOf(warp, op) : allocationAt(warp, op, low);
  if (!one || !one->contains(low, shape->span) || (access.isWrite && one->isConstant))
    return {};
  return {shape, one->at(address), nullptr, one, low - one->begin};
}

template <class Element> PTXRAY_FOR_AVX2 PTXRAY_INLINE void copyRow(void *to, const void *from) {
  typedef uint64_t Vector __attribute__((vector_size(32), aligned(1), may_alias));
  for (unsigned i = 0; i < warpSize * sizeof(Element) / sizeof(Vector); ++i)
    static_cast<Vector *>(to)[i] = static_cast<const Vector *>(from)[i];
}

template <class Element>
PTXRAY_FOR_AVX2 PTXRAY_INLINE void loadElement(Element *to, const uint8_t *first, const LaneShape &shape) {
  constexpr unsigned lanes = LaneShape::groupLanes, groups = warpSize / lanes;
  typedef Element Group __attribute__((vector_size(lanes * sizeof(Element)), aligned(1), may_alias));
  const bool areDense = shape.bytes == sizeof(Element);
  if (shape.isRow && areDense)
    copyRow<Element>(to, first);
  else if (shape.rows == LaneShape::allGroups && areDense)
    for (unsigned group = 0; group < groups; ++group)
      reinterpret_cast<Group *>(to)[group] = *reinterpret_cast<const Group *>(first + shape.distances[group * lanes]);
  else if (shape.same == LaneShape::allGroups)
    for (unsigned group = 0; group < groups; ++group) {
      Element element;
      std::memcpy(&element, first + shape.distances[group * lanes], sizeof element);
      reinterpret_cast<Group *>(to)[group] = Group{} + element;
    }
  else {
    PTXRAY_UNROLLED
    for (unsigned lane = 0; lane < warpSize; ++lane)
      std::memcpy(to + lane, first + shape.distances[lane], sizeof(Element));
  }
}

template <class Element>
PTXRAY_FOR_AVX2 PTXRAY_INLINE void storeElement(const Element *from, uint8_t *first, const LaneShape &shape) {
  if (shape.isRow && shape.bytes == sizeof(Element))
    return copyRow<Element>(first, from);
  PTXRAY_UNROLLED
  for (unsigned lane = 0; lane < warpSize; ++lane)
    std::memcpy(first + shape.distances[lane], from + lane, sizeof(Element));
}

template <class Element>
PTXRAY_FOR_AVX2 PTXRAY_INLINE void loadRow(char *registers, const MemoryAccess &access, const Row &row) {
  const uint8_t *first = row.first;
  for (const Place &place : access.elements) {
    loadElement(lanesOf<Element>(registers, place.slot), first, *row.shape);
    first += sizeof(Element);
  }
}

template <class Element>
PTXRAY_FOR_AVX2 PTXRAY_INLINE void storeRow(char *registers, const MemoryAccess &access, const Row &row) {
  uint8_t *first = row.first;
  for (const Place &place : access.elements) {
    storeElement(lanesOf<Element>(registers, place.slot), first, *row.shape);
    first += sizeof(Element);
  }
}

/// Returns the handler of a usual access for its direction and the width of its elements.
inline Handler byWidth(const MemoryAccess &access, const std::array<std::pair<Handler, Handler>, 3> &handlers) {
  const auto &[load, store] = handlers[access.bits == 16 ? 0 : access.bits == 32 ? 1 : 2];
  return access.isWrite ? store : load;
}

} // namespace ptxray::machine
