// Accesses of a whole warp whose addresses lie to each other as they did the last time: nearly all of them, in as few
// steps as there can be. The others are made by Access.cpp, and all on a processor with SSE2 that has no AVX2.
#include "Machine/Access.h"
#include "Machine/Grid.h"
#include "Machine/Unwritten.h"
#include "Machine/Watch.h"
#include "Machine/Wide.h"

namespace ptxray::machine {

namespace {

/// The memory that all lanes access.
struct Row {
  LaneShape *shape = nullptr;
  uint8_t *first = nullptr;    // what the address of the first lane leads to; null: it is to be found otherwise
  BlockState *owner = nullptr; // whose shared memory it is; null: it is global
  const Allocation *allocation = nullptr;
  uint64_t offset = 0; // in one of these, of the lane with the least address
};

} // namespace

/// Is true when the processor can execute the functions of this file.
static bool canBeQuick() {
#if defined(__x86_64__)
  return isWide();
#else
  return true;
#endif
}

/// The distances of all lanes from the first one are these.
template <class Register>
static PTXRAY_FOR_AVX2 PTXRAY_INLINE bool haveDistances(const Register *base, const Register *distances) {
  constexpr unsigned lanes = 32 / sizeof(Register);
  typedef Register Vector __attribute__((vector_size(32), aligned(sizeof(Register)), may_alias));
  typedef uint64_t Words __attribute__((vector_size(32)));
  typedef long long SignedWords __attribute__((vector_size(32)));
  const Vector *const from = reinterpret_cast<const Vector *>(base); // `auto` would forget the alignment
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

/// Finds what the addresses lead to, if the warp itself accesses memory with all of its lanes, nothing else is asked
/// for, and these have the distances of the last time. `IsAsBefore`: and lie in the same variable or allocation.
template <bool IsAsBefore>
static PTXRAY_FOR_AVX2 PTXRAY_INLINE Row findRow(const char *registers, const Op &op, const MemoryAccess &access,
                                                 uint32_t mask, Warp &warp) {
  if (mask != allLanes || !warp.isPlain || warp.doer.agent || warp.doer.stage != Stage::Whole)
    return {};
  LaneShape *const shape = warp.shapes[access.number];
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

// The functions that are not inlined get parts of a row, so that it itself is in registers.

/// The flags of the bytes are known to be set.
static PTXRAY_FOR_AVX2 PTXRAY_INLINE bool isKnownWritten(const Row &row) {
  return !row.owner || row.owner->written.empty() || row.offset + row.shape->span <= row.owner->writtenUpTo;
}

/// It is in global memory that was fresh when it was added.
static PTXRAY_FOR_AVX2 PTXRAY_INLINE bool isFresh(const Row &row) { return row.allocation && row.allocation->isFresh; }

/// Nothing has written some of it, perhaps.
[[gnu::noinline]] static bool mayBeUnwritten(const Allocation &one, uint64_t offset, const LaneShape &shape) {
  constexpr uint64_t step = 16;
  for (unsigned i = 0; i < shape.runs; ++i) {
    const uint64_t begin = offset + static_cast<uint64_t>(shape.run[i].at - shape.low),
                   end = begin + uint64_t(shape.run[i].elements) * shape.bytes;
    for (uint64_t at = begin; at < end; at = (at / step + 1) * step)
      if (one.areUnwritten(at, 1))
        return true;
  }
  return false;
}

/// The first flag of a run of bytes in shared memory.
static uint8_t *flagsOf(BlockState &owner, uint64_t offset, const LaneShape &shape, const LaneShape::Run &run) {
  return owner.written.data() + offset + (run.at - shape.low);
}

[[gnu::noinline]] static bool areAllWritten(BlockState &owner, uint64_t offset, const LaneShape &shape) {
  for (unsigned i = 0; i < shape.runs; ++i) {
    const LaneShape::Run &run = shape.run[i];
    if (std::memchr(flagsOf(owner, offset, shape, run), 0, size_t(run.elements) * shape.bytes))
      return false;
  }
  return true;
}

[[gnu::noinline]] static void setWritten(BlockState &owner, uint64_t offset, const LaneShape &shape) {
  for (unsigned i = 0; i < shape.runs; ++i) {
    const LaneShape::Run &run = shape.run[i];
    std::memset(flagsOf(owner, offset, shape, run), 1, size_t(run.elements) * shape.bytes);
  }
}

/// Notes the access, and reports a race.
[[gnu::noinline]] static void watchRow(const Op &op, Warp &warp, LaneShape &shape, BlockState *owner,
                                       const Allocation *allocation, uint64_t offset) {
  const auto &access = *static_cast<const MemoryAccess *>(op.more);
  if (allocation &&
      noteGlobalRow(warp, warp.now.frame->code.instruction(op.instruction), access.isWrite, *allocation, offset, shape))
    return;
  Pointers found(allLanes, &shape);
  found.first = (allocation ? allocation->bytes : owner->shared.data()) + offset - shape.low;
  uint64_t at[warpSize];
  const uint64_t address = addressIn(warp.now.frame->registers, access.address, 0);
  for (unsigned i = 0; i < warpSize; ++i)
    at[i] = address + static_cast<uint64_t>(shape.distances[i]);
  watchAll(warp, op, access, at, found);
}

template <class Element> static PTXRAY_FOR_AVX2 PTXRAY_INLINE void copyRow(void *to, const void *from) {
  typedef uint64_t Vector __attribute__((vector_size(32), aligned(1), may_alias));
  for (unsigned i = 0; i < warpSize * sizeof(Element) / sizeof(Vector); ++i)
    static_cast<Vector *>(to)[i] = static_cast<const Vector *>(from)[i];
}

template <class Element>
static PTXRAY_FOR_AVX2 PTXRAY_INLINE void loadElement(Element *to, const uint8_t *first, const LaneShape &shape) {
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
static PTXRAY_FOR_AVX2 PTXRAY_INLINE void storeElement(const Element *from, uint8_t *first, const LaneShape &shape) {
  if (shape.isRow && shape.bytes == sizeof(Element))
    return copyRow<Element>(first, from);
  PTXRAY_UNROLLED
  for (unsigned lane = 0; lane < warpSize; ++lane)
    std::memcpy(first + shape.distances[lane], from + lane, sizeof(Element));
}

/// The read is told when somebody writes, if all that was written comes before it.
[[gnu::noinline]] static bool isReadLate(const Op &op, Warp &warp, LaneShape &shape, BlockState &owner,
                                         uint64_t offset) {
  constexpr size_t mostReads = 1024;
  if (!shape.areCells || offset % bytesOfCell || owner.shadow.latestWrite > warp.horizon)
    return false;
  std::vector<LateRead> &reads = owner.shadow.lateReads;
  if (reads.size() >= mostReads)
    noteLateReads(owner);
  shape.isLate = warp.hasRead = true;
  reads.push_back({&shape, &warp, &warp.now.frame->code.instruction(op.instruction), static_cast<uint32_t>(offset),
                   warp.clock[warp.agent], warp.horizon, ++warp.turn});
  return true;
}

template <class Element>
static PTXRAY_FOR_AVX2 PTXRAY_INLINE void loadRow(char *registers, const MemoryAccess &access, const Row &row) {
  const uint8_t *first = row.first;
  for (const Place &place : access.elements) {
    loadElement(lanesOf<Element>(registers, place.slot), first, *row.shape);
    first += sizeof(Element);
  }
}

template <class Element>
static PTXRAY_FOR_AVX2 PTXRAY_INLINE void storeRow(char *registers, const MemoryAccess &access, const Row &row) {
  uint8_t *first = row.first;
  for (const Place &place : access.elements) {
    storeElement(lanesOf<Element>(registers, place.slot), first, *row.shape);
    first += sizeof(Element);
  }
}

template <class Element>
static PTXRAY_FOR_AVX2 void loadWatched(char *registers, const Op &op, uint32_t mask, Warp &warp) {
  const auto &access = *static_cast<const MemoryAccess *>(op.more);
  const Row row = findRow<false>(registers, op, access, mask, warp);
  if (!row.first || (!isKnownWritten(row) && !areAllWritten(*row.owner, row.offset, *row.shape)) ||
      (isFresh(row) && mayBeUnwritten(*row.allocation, row.offset, *row.shape)))
    return loadElements(registers, op, mask, warp);
  if (!warp.clock.empty() && !(row.owner && isReadLate(op, warp, *row.shape, *row.owner, row.offset)))
    watchRow(op, warp, *row.shape, row.owner, row.allocation, row.offset);
  loadRow<Element>(registers, access, row);
}

template <class Element>
static PTXRAY_FOR_AVX2 void storeWatched(char *registers, const Op &op, uint32_t mask, Warp &warp) {
  const auto &access = *static_cast<const MemoryAccess *>(op.more);
  const Row row =
      warp.now.frame->unwrittenFilter & access.named ? Row() : findRow<false>(registers, op, access, mask, warp);
  if (!row.first)
    return storeElements(registers, op, mask, warp);
  if (!warp.clock.empty())
    watchRow(op, warp, *row.shape, row.owner, row.allocation, row.offset);
  if (!isKnownWritten(row))
    setWritten(*row.owner, row.offset, *row.shape);
  storeRow<Element>(registers, access, row);
}

// These call nothing else, so that they need no registers of the processor but those that a call may change.

template <class Element>
static PTXRAY_FOR_AVX2 void loadQuickly(char *registers, const Op &op, uint32_t mask, Warp &warp) {
  const auto &access = *static_cast<const MemoryAccess *>(op.more);
  if (!warp.clock.empty())
    return loadWatched<Element>(registers, op, mask, warp);
  const Row row = findRow<true>(registers, op, access, mask, warp);
  if (!row.first || !isKnownWritten(row) || isFresh(row))
    return loadWatched<Element>(registers, op, mask, warp);
  loadRow<Element>(registers, access, row);
}

template <class Element>
static PTXRAY_FOR_AVX2 void storeQuickly(char *registers, const Op &op, uint32_t mask, Warp &warp) {
  const auto &access = *static_cast<const MemoryAccess *>(op.more);
  if (!warp.clock.empty() || warp.now.frame->unwrittenFilter & access.named)
    return storeWatched<Element>(registers, op, mask, warp);
  const Row row = findRow<true>(registers, op, access, mask, warp);
  if (!row.first || !isKnownWritten(row))
    return storeWatched<Element>(registers, op, mask, warp);
  storeRow<Element>(registers, access, row);
}

Handler quickHandlerOf(const MemoryAccess &access) {
  if (!canBeQuick())
    return access.isWrite ? storeElements : loadElements;
  const auto byDirection = [&](Handler load, Handler store) { return access.isWrite ? store : load; };
  return access.bits == 16   ? byDirection(loadQuickly<uint16_t>, storeQuickly<uint16_t>)
         : access.bits == 32 ? byDirection(loadQuickly<uint32_t>, storeQuickly<uint32_t>)
                             : byDirection(loadQuickly<uint64_t>, storeQuickly<uint64_t>);
}

} // namespace ptxray::machine
