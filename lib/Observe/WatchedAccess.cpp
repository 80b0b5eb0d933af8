#include "Observe/WatchedAccess.h"
#include "Machine/QuickAccess.h"
#include "Observe/RaceState.h"
#include "Observe/Unwritten.h"
#include "Observe/Watch.h"

namespace ptxray::machine {

// The functions that are not inlined get parts of a row, so that it itself is in registers.

/// Returns the flags of the shared memory that contains a row, or null if the row is in global memory.
static PTXRAY_FOR_AVX2 PTXRAY_INLINE WrittenShared *flagsOf(const Row &row) {
  return row.owner ? static_cast<WrittenShared *>(row.owner->attached.in(ObserverSlot::Unwritten)) : nullptr;
}

/// Returns whether the bytes were certainly written before a barrier, or have no flags.
static PTXRAY_FOR_AVX2 PTXRAY_INLINE bool areKnownWritten(const WrittenShared *written, const Row &row) {
  return !written || row.offset + row.shape->span <= written->upTo;
}

/// Returns whether some bytes of fresh memory may be uninitialised.
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

/// Returns the flag of the first byte of a run.
static uint8_t *flagAt(WrittenShared &written, uint64_t offset, const LaneShape &shape, const LaneShape::Run &run) {
  return written.flags.data() + offset + (run.at - shape.low);
}

[[gnu::noinline]] static bool areAllWritten(WrittenShared &written, uint64_t offset, const LaneShape &shape) {
  for (unsigned i = 0; i < shape.runs; ++i) {
    const LaneShape::Run &run = shape.run[i];
    if (std::memchr(flagAt(written, offset, shape, run), 0, size_t(run.elements) * shape.bytes))
      return false;
  }
  return true;
}

[[gnu::noinline]] static void setAllWritten(WrittenShared &written, uint64_t offset, const LaneShape &shape) {
  for (unsigned i = 0; i < shape.runs; ++i) {
    const LaneShape::Run &run = shape.run[i];
    std::memset(flagAt(written, offset, shape, run), 1, size_t(run.elements) * shape.bytes);
  }
}

/// Records the access, and reports a race.
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
  watchLanes(warp, {op, access, at, found});
}

/// Defers recording a read until the next write, if all writes so far happened before it. Returns whether it was
/// deferred.
[[gnu::noinline]] static bool isReadLate(const Op &op, Warp &warp, LaneShape &shape, BlockState &owner,
                                         uint64_t offset) {
  constexpr size_t mostReads = 1024;
  SharedShadow &shadow = raceOf(owner).shadow;
  RaceWarp &race = raceOf(warp);
  if (!shape.areCells || offset % bytesOfCell || shadow.latestWrite > race.horizon)
    return false;
  std::vector<LateRead> &reads = shadow.lateReads;
  if (reads.size() >= mostReads)
    noteLateReads(owner);
  shape.isHeld = race.hasRead = true;
  reads.push_back({&shape, &warp, &warp.now.frame->code.instruction(op.instruction), static_cast<uint32_t>(offset),
                   race.clock[race.agent], race.horizon, ++race.turn});
  return true;
}

template <class Element>
static PTXRAY_FOR_AVX2 void loadWatched(char *registers, const Op &op, uint32_t mask, Warp &warp) {
  const auto &access = *static_cast<const MemoryAccess *>(op.more);
  const Row row = findRow<false>(registers, op, access, mask, warp);
  WrittenShared *const written = flagsOf(row);
  if (!row.first || (!areKnownWritten(written, row) && !areAllWritten(*written, row.offset, *row.shape)) ||
      (row.allocation && row.allocation->isFresh && mayBeUnwritten(*row.allocation, row.offset, *row.shape)))
    return loadElements(registers, op, mask, warp);
  if (!(row.owner && isReadLate(op, warp, *row.shape, *row.owner, row.offset)))
    watchRow(op, warp, *row.shape, row.owner, row.allocation, row.offset);
  loadRow<Element>(registers, access, row);
}

template <class Element>
static PTXRAY_FOR_AVX2 void storeWatched(char *registers, const Op &op, uint32_t mask, Warp &warp) {
  const auto &access = *static_cast<const MemoryAccess *>(op.more);
  const Row row = warp.now.frame->followed & access.named ? Row() : findRow<false>(registers, op, access, mask, warp);
  if (!row.first)
    return storeElements(registers, op, mask, warp);
  watchRow(op, warp, *row.shape, row.owner, row.allocation, row.offset);
  if (WrittenShared *const written = flagsOf(row); !areKnownWritten(written, row))
    setAllWritten(*written, row.offset, *row.shape);
  storeRow<Element>(registers, access, row);
}

Handler watchedHandlerOf(const MemoryAccess &access) {
  if (!canBeQuick())
    return access.isWrite ? storeElements : loadElements;
  return byWidth(access, {{{loadWatched<uint16_t>, storeWatched<uint16_t>},
                           {loadWatched<uint32_t>, storeWatched<uint32_t>},
                           {loadWatched<uint64_t>, storeWatched<uint64_t>}}});
}

} // namespace ptxray::machine
