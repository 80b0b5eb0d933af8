// Accesses of a whole warp whose addresses lie to each other as they did the last time: nearly all of them, in as few
// steps as there can be. The others are made by Access.cpp.
#include "Machine/Access.h"
#include "Machine/Grid.h"
#include "Machine/Unwritten.h"
#include "Machine/Watch.h"
#include "Machine/Wide.h"

namespace ptxray::machine {

namespace {

/// The memory that all lanes access.
struct Row {
  LaneShape *shape;
  uint64_t address;            // of the first lane
  uint8_t *first = nullptr;    // what it leads to
  BlockState *owner = nullptr; // whose shared memory it is; null: it is global
  uint64_t offset = 0;         // in that, of the lane with the least address
};

} // namespace

/// The distances of all lanes from the first one are these.
template <class Register> static PTXRAY_INLINE bool haveDistances(const Register *base, const Register *distances) {
  const Register first = base[0];
  Register differ = 0;
  for (unsigned i = 0; i < warpSize; ++i)
    differ |= (base[i] - first) ^ distances[i];
  return !differ;
}

/// Returns the shape of the addresses; null: it is not the one of the last time.
static PTXRAY_INLINE LaneShape *sameShape(const char *registers, const MemoryAccess &access, Warp &warp,
                                          uint64_t &first) {
  LaneShape &shape = warp.block->grid->shapes.of(access.number, allLanes);
  const char *const base = registers + access.address.base.slot;
  if (!shape.mask || !shape.isAligned)
    return nullptr;
  bool isSame = false;
  if (access.address.base.bits == 32) {
    const auto *const lanes = reinterpret_cast<const uint32_t *>(base);
    first = lanes[0] + static_cast<uint32_t>(access.address.offset);
    isSame = shape.isNarrow && haveDistances(lanes, shape.narrow.data());
  } else {
    const auto *const lanes = reinterpret_cast<const uint64_t *>(base);
    first = lanes[0] + static_cast<uint64_t>(access.address.offset);
    isSame = haveDistances(lanes, reinterpret_cast<const uint64_t *>(shape.distances.data()));
  }
  return isSame && !(first & (access.alignment - 1)) ? &shape : nullptr;
}

/// Finds what the addresses lead to.
static PTXRAY_INLINE bool findRow(const Op &op, const MemoryAccess &access, Warp &warp, Row &row) {
  const Space space = access.address.space;
  const uint64_t low = row.address + static_cast<uint64_t>(row.shape->low);
  const uint64_t bytes = static_cast<uint64_t>(row.shape->high - row.shape->low) + access.bytes;
  const uint64_t beforeFirst = row.address - low;
  if (space == Space::Shared || (space == Space::Generic && low / windowBytes == sharedWindow / windowBytes)) {
    const uint64_t at = space == Space::Shared ? low : low - sharedWindow, rank = at >> sharedRankShift;
    if (rank >= warp.block->cluster.size())
      return false;
    row.owner = warp.block->cluster[rank];
    row.offset = at & sharedOffsetMask;
    row.first = row.owner->shared.data() + row.offset + beforeFirst;
    ByteRun &zone = row.shape->zone;
    if (row.offset < zone.begin || row.offset >= zone.end)
      zone = sharedZoneAt(*warp.block->grid, row.offset);
    return row.offset < zone.end && bytes <= zone.end - row.offset;
  }
  if (low < globalBegin)
    return false;
  const Allocation *const one = allocationAt(warp, op, low);
  if (!one || !one->contains(low, bytes) || (access.isWrite && one->isConstant))
    return false;
  row.first = one->at(low) + beforeFirst;
  return true;
}

/// The flags of the bytes are known to be set.
static PTXRAY_INLINE bool isKnownWritten(const Row &row, const MemoryAccess &access) {
  const uint64_t end = row.offset + static_cast<uint64_t>(row.shape->high - row.shape->low) + access.bytes;
  return !row.owner || row.owner->written.empty() || end <= row.owner->writtenUpTo;
}

/// The first flag of a run of bytes in shared memory.
static uint8_t *flagsOf(const Row &row, const LaneShape::Run &run) {
  return row.owner->written.data() + row.offset + (run.at - row.shape->low);
}

static bool areAllWritten(const Row &row) {
  for (unsigned i = 0; i < row.shape->runs; ++i) {
    const LaneShape::Run &run = row.shape->run[i];
    if (std::memchr(flagsOf(row, run), 0, size_t(run.elements) * row.shape->bytes))
      return false;
  }
  return true;
}

static void setWritten(const Row &row) {
  for (unsigned i = 0; i < row.shape->runs; ++i) {
    const LaneShape::Run &run = row.shape->run[i];
    std::memset(flagsOf(row, run), 1, size_t(run.elements) * row.shape->bytes);
  }
}

/// Notes the access, and reports a race.
static void watchRow(const Op &op, const MemoryAccess &access, const Row &row, Warp &warp) {
  Pointers found(allLanes, row.shape);
  found.first = row.first;
  uint64_t at[warpSize];
  for (unsigned i = 0; i < warpSize; ++i)
    at[i] = row.address + static_cast<uint64_t>(row.shape->distances[i]);
  watchAll(warp, op, access, at, found);
}

template <class Element>
static PTXRAY_INLINE void loadElement(Element *to, const uint8_t *first, const LaneShape &shape) {
  constexpr unsigned lanes = LaneShape::groupLanes;
  const unsigned rows = shape.bytes == sizeof(Element) ? shape.rows : 0;
  if (rows == LaneShape::allGroups && shape.isRow)
    std::memcpy(to, first, warpSize * sizeof(Element));
  else if ((rows | shape.same) == LaneShape::allGroups)
    for (unsigned group = 0; group < warpSize / lanes; ++group) {
      const uint8_t *const from = first + shape.distances[group * lanes];
      if (rows >> group & 1) {
        std::memcpy(to + group * lanes, from, lanes * sizeof(Element));
        continue;
      }
      Element element;
      std::memcpy(&element, from, sizeof element);
      for (unsigned i = 0; i < lanes; ++i)
        to[group * lanes + i] = element;
    }
  else {
    PTXRAY_UNROLLED
    for (unsigned lane = 0; lane < warpSize; ++lane)
      std::memcpy(to + lane, first + shape.distances[lane], sizeof(Element));
  }
}

template <class Element>
static PTXRAY_INLINE void storeElement(const Element *from, uint8_t *first, const LaneShape &shape) {
  if (shape.isRow && shape.bytes == sizeof(Element)) {
    std::memcpy(first, from, warpSize * sizeof(Element));
    return;
  }
  PTXRAY_UNROLLED
  for (unsigned lane = 0; lane < warpSize; ++lane)
    std::memcpy(first + shape.distances[lane], from + lane, sizeof(Element));
}

/// Calls `move` with the first lane of each register and the place of its first element.
template <class Move>
static PTXRAY_INLINE void eachElement(char *registers, const MemoryAccess &access, uint8_t *first, Move move) {
  for (const Place &place : access.elements) {
    if (access.bits == 32)
      move(lanesOf<uint32_t>(registers, place.slot), first);
    else if (access.bits == 64)
      move(lanesOf<uint64_t>(registers, place.slot), first);
    else
      move(lanesOf<uint16_t>(registers, place.slot), first);
    first += access.bits / 8;
  }
}

/// The read is told when somebody writes, if all that was written comes before it.
static PTXRAY_INLINE bool isReadLate(const Op &op, const Row &row, Warp &warp) {
  constexpr size_t mostReads = 1024;
  if (!row.owner || !row.shape->areCells || row.offset % bytesOfCell || row.owner->shadow.latestWrite > warp.horizon)
    return false;
  std::vector<LateRead> &reads = row.owner->shadow.lateReads;
  if (reads.size() >= mostReads)
    noteLateReads(*row.owner);
  row.shape->isLate = warp.hasRead = true;
  reads.push_back({row.shape, &warp, &warp.now.frame->code.instruction(op.instruction),
                   static_cast<uint32_t>(row.offset), warp.clock[warp.agent], warp.horizon, ++warp.turn});
  return true;
}

static PTXRAY_INLINE bool loadAs(char *registers, const Op &op, const MemoryAccess &access, Warp &warp) {
  Row row{};
  row.shape = sameShape(registers, access, warp, row.address);
  if (!row.shape || !findRow(op, access, warp, row) || (!isKnownWritten(row, access) && !areAllWritten(row)))
    return false;
  if (!warp.clock.empty() && !isReadLate(op, row, warp))
    watchRow(op, access, row, warp);
  eachElement(registers, access, row.first,
              [&](auto *to, const uint8_t *first) PTXRAY_INLINED_LAMBDA { loadElement(to, first, *row.shape); });
  return true;
}

static PTXRAY_INLINE bool storeAs(char *registers, const Op &op, const MemoryAccess &access, Warp &warp) {
  Row row{};
  row.shape = sameShape(registers, access, warp, row.address);
  if (!row.shape || warp.now.frame->unwrittenFilter & access.named || !findRow(op, access, warp, row))
    return false;
  if (!warp.clock.empty())
    watchRow(op, access, row, warp);
  if (!isKnownWritten(row, access))
    setWritten(row);
  eachElement(registers, access, row.first,
              [&](const auto *from, uint8_t *first) PTXRAY_INLINED_LAMBDA { storeElement(from, first, *row.shape); });
  return true;
}

static PTXRAY_FOR_AVX2 bool loadWide(char *registers, const Op &op, const MemoryAccess &access, Warp &warp) {
  return loadAs(registers, op, access, warp);
}
static PTXRAY_FOR_AVX2 bool storeWide(char *registers, const Op &op, const MemoryAccess &access, Warp &warp) {
  return storeAs(registers, op, access, warp);
}

static bool isQuick(const MemoryAccess &access, uint32_t mask, const Warp &warp) {
  return mask == allLanes && access.isUsual && warp.isPlain && !warp.doer.agent && warp.doer.stage == Stage::Whole;
}

void loadElements(char *registers, const Op &op, uint32_t mask, Warp &warp) {
  const auto &access = *static_cast<const MemoryAccess *>(op.more);
  if (!isQuick(access, mask, warp) || !(isWide() ? loadWide : loadAs)(registers, op, access, warp))
    loadSlowly(registers, op, access, mask, warp);
}
void storeElements(char *registers, const Op &op, uint32_t mask, Warp &warp) {
  const auto &access = *static_cast<const MemoryAccess *>(op.more);
  if (!isQuick(access, mask, warp) || !(isWide() ? storeWide : storeAs)(registers, op, access, warp))
    storeSlowly(registers, op, access, mask, warp);
}

} // namespace ptxray::machine
