#include "Observe/SharedShadow.h"
#include "Machine/Wide.h"
#include "Parse/Ast.h"
#include <algorithm>
#include <cstring>
#include <type_traits>

namespace ptxray::machine {

constexpr uint32_t noPlace = ~0u;
constexpr unsigned cellBytesAt = 16, strongAt = 20, moreAt = 21, addressAt = 22; // bits of details
constexpr uint32_t cellBytesMask = 15u << cellBytesAt, moreMask = 1u << moreAt;
constexpr uint32_t moreWritesMask = 1u << 31; // mask for the warp of a write; with it, the value equals no warp

static uint32_t detailsOf(const PastAccess &access) {
  return access.turn | uint32_t(access.bytes) << cellBytesAt | uint32_t(access.isStrong) << strongAt |
         uint32_t(access.isAllocation) << addressAt;
}

void SharedShadow::grow(size_t cells, const Instruction *ofModule) {
  instructions = ofModule;
  for (Columns *columns : {&writes, &reads}) {
    for (std::vector<uint32_t> *column : {&columns->warps, &columns->clocks, &columns->details})
      column->resize(cells);
    columns->lanes.resize(cells, byWholeWarp);
    columns->places.resize(cells, noPlace);
  }
  readers.resize(cells);
}

static PastAccess readFrom(const SharedShadow::Columns &columns, size_t i, const Instruction *instructions) {
  PastAccess access;
  access.warp = columns.warps[i];
  access.clock = columns.clocks[i];
  access.lanes = columns.lanes[i];
  access.turn = static_cast<uint16_t>(columns.details[i]);
  access.bytes = columns.details[i] >> cellBytesAt & 15;
  access.isStrong = columns.details[i] >> strongAt & 1;
  access.isAllocation = columns.details[i] >> addressAt & 1;
  access.at = columns.places[i] == noPlace ? nullptr : instructions + columns.places[i];
  return access;
}

static void writeTo(SharedShadow::Columns &columns, size_t i, const PastAccess &access,
                    const Instruction *instructions) {
  columns.warps[i] = access.warp;
  columns.clocks[i] = access.clock;
  columns.lanes[i] = access.lanes;
  columns.details[i] = detailsOf(access);
  columns.places[i] = access.at ? static_cast<uint32_t>(access.at - instructions) : noPlace;
}

Cell SharedShadow::read(size_t index) const {
  Cell cell;
  cell.write = readFrom(writes, index, instructions);
  cell.write.warp &= ~moreWritesMask;
  cell.hasMoreWrites = hasMoreWrites(index);
  cell.reads = {readers[index], readFrom(reads, index, instructions)};
  cell.hasMoreReads = reads.details[index] >> moreAt & 1;
  return cell;
}

void SharedShadow::write(size_t index, const Cell &cell) {
  writeTo(writes, index, cell.write, instructions);
  writes.warps[index] |= cell.hasMoreWrites ? moreWritesMask : 0;
  writeTo(reads, index, cell.reads.last, instructions);
  reads.details[index] |= uint32_t(cell.hasMoreReads) << moreAt;
  readers[index] = cell.reads.warps;
}

/// Returns the differences in a column. The number of cells is a constant, so that the loops are vectorised.
template <size_t Count> static PTXRAY_INLINE uint32_t differences(const SharedShadow::Columns &columns, size_t first) {
  uint32_t result = 0;
  for (const std::vector<uint32_t> *column :
       {&columns.warps, &columns.clocks, &columns.lanes, &columns.places, &columns.details}) {
    const uint32_t *const cells = column->data() + first, one = cells[0];
    for (size_t i = 0; i < Count; ++i)
      result |= cells[i] ^ one;
  }
  return result;
}
static PTXRAY_FOR_AVX2 uint32_t differencesWide(const SharedShadow::Columns &columns, size_t first, size_t count) {
  return count == SharedShadow::fewCells ? differences<SharedShadow::fewCells>(columns, first)
                                         : differences<SharedShadow::manyCells>(columns, first);
}
static uint32_t differencesPlain(const SharedShadow::Columns &columns, size_t first, size_t count) {
  return count == SharedShadow::fewCells ? differences<SharedShadow::fewCells>(columns, first)
                                         : differences<SharedShadow::manyCells>(columns, first);
}

bool SharedShadow::areWritesSame(size_t first, size_t count) const {
  return !hasMoreWrites(first) && !(isWide() ? differencesWide : differencesPlain)(writes, first, count);
}

bool SharedShadow::areReadsSame(size_t first, size_t count) const {
  uint64_t others = 0;
  for (size_t i = first; i < first + count; ++i)
    others |= readers[i] ^ readers[first];
  return !others && !hasMoreReads(first) && !(isWide() ? differencesWide : differencesPlain)(reads, first, count);
}

bool SharedShadow::areWritesBefore(size_t first, size_t count, uint32_t clock, uint32_t warps) const {
  uint32_t latest = 0, greatest = 0;
  for (size_t i = first; i < first + count; ++i) {
    latest = std::max(latest, writes.clocks[i]);
    greatest = std::max(greatest, writes.warps[i]);
  }
  return latest <= clock && greatest <= warps;
}

bool SharedShadow::hasMoreReads(size_t index) const { return reads.details[index] & moreMask; }
bool SharedShadow::hasMoreWrites(size_t index) const { return writes.warps[index] & moreWritesMask; }

void SharedShadow::dropMoreWrites(uint32_t known, uint32_t warps) {
  for (auto one = moreWrites.begin(); one != moreWrites.end();) {
    std::erase_if(one->second, [&](const PastAccess &write) { return write.clock <= known && write.warp <= warps; });
    if (!one->second.empty()) {
      ++one;
      continue;
    }
    writes.warps[one->first] &= ~moreWritesMask;
    one = moreWrites.erase(one);
  }
}

void SharedShadow::repeat(size_t first, size_t count, bool isWrite) {
  Columns &columns = isWrite ? writes : reads;
  for (std::vector<uint32_t> *column :
       {&columns.warps, &columns.clocks, &columns.lanes, &columns.places, &columns.details})
    std::fill_n(column->data() + first, count, (*column)[first - 1]);
  if (!isWrite)
    std::fill_n(readers.data() + first, count, readers[first - 1]);
}

// ---- cells in several places

/// Cells that are compared together.
using Words = uint32_t __attribute__((vector_size(32)));
using LongWords = uint64_t __attribute__((vector_size(32)));

template <class Element>
static PTXRAY_INLINE bool areSame(const std::vector<Element> &column, llvm::ArrayRef<ByteRun> runs) {
  using Many = std::conditional_t<std::is_same_v<Element, uint32_t>, Words, LongWords>;
  constexpr ptrdiff_t atOnce = sizeof(Many) / sizeof(Element);
  const Element first = column[runs[0].begin / bytesOfCell];
  Many different = {};
  Element rest = 0;
  for (const ByteRun &run : runs) {
    const Element *at = column.data() + run.begin / bytesOfCell, *const end = column.data() + run.end / bytesOfCell;
    for (; end - at >= atOnce; at += atOnce) {
      Many cells;
      std::memcpy(&cells, at, sizeof cells);
      different |= cells ^ first;
    }
    for (; at != end; ++at)
      rest |= *at ^ first;
  }
  for (ptrdiff_t i = 0; i < atOnce; ++i)
    rest |= different[i];
  return rest == 0;
}
static PTXRAY_INLINE bool areSame(const SharedShadow::Columns &columns, llvm::ArrayRef<ByteRun> runs) {
  return areSame(columns.warps, runs) && areSame(columns.clocks, runs) && areSame(columns.details, runs) &&
         areSame(columns.lanes, runs) && areSame(columns.places, runs);
}
static PTXRAY_FOR_AVX2 bool areSameWide(const SharedShadow::Columns &columns, llvm::ArrayRef<ByteRun> runs,
                                        const std::vector<uint64_t> *readers) {
  return areSame(columns, runs) && (!readers || areSame(*readers, runs));
}
static bool areSamePlain(const SharedShadow::Columns &columns, llvm::ArrayRef<ByteRun> runs,
                         const std::vector<uint64_t> *readers) {
  return areSame(columns, runs) && (!readers || areSame(*readers, runs));
}

bool SharedShadow::areWritesSame(llvm::ArrayRef<ByteRun> runs) const {
  return !hasMoreWrites(runs[0].begin / bytesOfCell) && (isWide() ? areSameWide : areSamePlain)(writes, runs, nullptr);
}
bool SharedShadow::areReadsSame(llvm::ArrayRef<ByteRun> runs) const {
  return !hasMoreReads(runs[0].begin / bytesOfCell) && (isWide() ? areSameWide : areSamePlain)(reads, runs, &readers);
}

static PTXRAY_INLINE uint32_t greatestOf(const std::vector<uint32_t> &column, llvm::ArrayRef<ByteRun> runs) {
  constexpr ptrdiff_t atOnce = sizeof(Words) / sizeof(uint32_t);
  Words greatest = {};
  uint32_t result = 0;
  for (const ByteRun &run : runs) {
    const uint32_t *at = column.data() + run.begin / bytesOfCell, *const end = column.data() + run.end / bytesOfCell;
    for (; end - at >= atOnce; at += atOnce) {
      Words cells;
      std::memcpy(&cells, at, sizeof cells);
      greatest = greatest > cells ? greatest : cells;
    }
    for (; at != end; ++at)
      result = std::max(result, *at);
  }
  for (ptrdiff_t i = 0; i < atOnce; ++i)
    result = std::max<uint32_t>(result, greatest[i]);
  return result;
}
static PTXRAY_FOR_AVX2 bool areBeforeWide(const SharedShadow::Columns &columns, llvm::ArrayRef<ByteRun> runs,
                                          uint32_t clock, uint32_t warps) {
  return greatestOf(columns.clocks, runs) <= clock && greatestOf(columns.warps, runs) <= warps;
}
static bool areBeforePlain(const SharedShadow::Columns &columns, llvm::ArrayRef<ByteRun> runs, uint32_t clock,
                           uint32_t warps) {
  return greatestOf(columns.clocks, runs) <= clock && greatestOf(columns.warps, runs) <= warps;
}
bool SharedShadow::areWritesBefore(llvm::ArrayRef<ByteRun> runs, uint32_t clock, uint32_t warps) const {
  return (isWide() ? areBeforeWide : areBeforePlain)(writes, runs, clock, warps);
}

template <class Element> static void fillRuns(std::vector<Element> &column, llvm::ArrayRef<ByteRun> runs) {
  const Element one = column[runs[0].begin / bytesOfCell];
  for (const ByteRun &run : runs)
    std::fill(column.begin() + run.begin / bytesOfCell, column.begin() + run.end / bytesOfCell, one);
}
void SharedShadow::repeat(llvm::ArrayRef<ByteRun> runs, bool isWrite) {
  Columns &columns = isWrite ? writes : reads;
  for (std::vector<uint32_t> *column :
       {&columns.warps, &columns.clocks, &columns.lanes, &columns.places, &columns.details})
    fillRuns(*column, runs);
  if (!isWrite)
    fillRuns(readers, runs);
}

namespace {

/// A row of cells: the columns from its first cell on.
struct RowColumns {
  RowColumns(const SharedShadow::Columns &columns, size_t first)
      : warps(columns.warps.data() + first), clocks(columns.clocks.data() + first), lanes(columns.lanes.data() + first),
        details(columns.details.data() + first) {}
  const uint32_t *warps, *clocks, *lanes, *details;
};

/// Properties of all cells of a row.
struct RowAnswers {
  bool areWritesBefore;    // no race with the last writes
  bool areReadsOld;        // all threads know the last reads
  bool areReadsOfSameLane; // the last reads are by the same lanes as the access
  bool areReadsOfNow;      // the last reads happened at the same count of releases, for the same bytes and lanes
  bool hasMoreReads;
};

} // namespace

/// Prevents compilers from vectorising the surrounding loop, which is short.
static PTXRAY_INLINE void stepAlone() {
#if defined(__GNUC__)
  asm volatile("");
#endif
}

template <bool IsShort>
static PTXRAY_INLINE RowAnswers ask(const RowColumns &writes, const RowColumns &reads, const uint64_t *readers,
                                    const RowAccess &row, uint64_t reader) {
  const PastAccess now = row.now;
  uint32_t writesBefore = ~0u, readsOld = ~0u, readsOfLane = ~0u, readsOfNow = ~0u, more = 0;
  uint64_t others = 0;
  const auto all = [](bool isTrue) { return isTrue ? ~0u : 0; };
  for (size_t i = 0; i < row.count; ++i) {
    if (IsShort)
      stepAlone();
    const uint32_t lanes = row.lanes[i], isOne = all(!(lanes & manyOfEach));
    writesBefore &= (all(writes.clocks[i] <= row.horizon) & all(writes.warps[i] <= row.warps)) |
                    (all(writes.warps[i] == row.sameLanes) & all(writes.lanes[i] == lanes) & isOne);
    const uint32_t areSameLanes = all(reads.lanes[i] == lanes);
    readsOld &= all(reads.clocks[i] <= row.horizon) & all(reads.warps[i] <= row.warps);
    readsOfLane &= all(reads.warps[i] == row.sameLanes) & areSameLanes & isOne;
    readsOfNow &=
        all(reads.clocks[i] == now.clock) & areSameLanes & all((reads.details[i] & cellBytesMask) == cellBytesMask);
    more |= reads.details[i];
  }
  for (size_t i = 0; i < row.count; ++i) {
    if (IsShort)
      stepAlone();
    others |= readers[i] & ~reader;
  }
  return {writesBefore != 0, readsOld != 0, readsOfLane && !others, readsOfNow != 0, (more & moreMask) != 0};
}

static PTXRAY_FOR_AVX2 RowAnswers askWide(const RowColumns &writes, const RowColumns &reads, const uint64_t *readers,
                                          const RowAccess &row, uint64_t reader) {
  return ask<false>(writes, reads, readers, row, reader);
}

static RowAnswers askShort(const RowColumns &writes, const RowColumns &reads, const uint64_t *readers,
                           const RowAccess &row, uint64_t reader) {
  return ask<true>(writes, reads, readers, row, reader);
}

/// Writes the same value to several entries of a column, except for bits that are kept.
template <bool IsShort>
static PTXRAY_INLINE void fillColumn(uint32_t *column, size_t count, uint32_t value, uint32_t kept = 0) {
  for (size_t i = 0; i < count; ++i) {
    if (IsShort)
      stepAlone();
    column[i] = value | (column[i] & kept);
  }
}

/// Writes the access to the cells. The bits `kept` of their details stay.
template <bool IsShort>
static PTXRAY_INLINE void fill(SharedShadow::Columns &columns, const RowAccess &row, uint32_t place, uint32_t kept) {
  const size_t first = row.first, count = row.count;
  const PastAccess now = row.now;
  fillColumn<IsShort>(columns.warps.data() + first, count, now.warp);
  fillColumn<IsShort>(columns.clocks.data() + first, count, now.clock);
  fillColumn<IsShort>(columns.places.data() + first, count, place);
  fillColumn<IsShort>(columns.details.data() + first, count, detailsOf(now), kept);
  uint32_t *__restrict const lanes = columns.lanes.data() + first;
  const uint32_t *const from = row.lanes;
  for (size_t i = 0; i < count; ++i) {
    if (IsShort)
      stepAlone();
    lanes[i] = from[i];
  }
}
static PTXRAY_FOR_AVX2 void fillWide(SharedShadow::Columns &columns, const RowAccess &row, uint32_t place,
                                     uint32_t kept) {
  fill<false>(columns, row, place, kept);
}
static void fillShort(SharedShadow::Columns &columns, const RowAccess &row, uint32_t place, uint32_t kept) {
  fill<true>(columns, row, place, kept);
}

bool SharedShadow::areWritesKnown(llvm::ArrayRef<ByteRun> runs, uint32_t horizon, uint32_t warps,
                                  llvm::function_ref<bool(uint32_t, uint32_t)> isKnown) const {
  uint32_t lastWarp = 0, lastClock = 0; // most writes are by few operations
  for (const ByteRun &run : runs)
    for (size_t i = run.begin / bytesOfCell; i < run.end / bytesOfCell; ++i) {
      const uint32_t warp = writes.warps[i], clock = writes.clocks[i];
      if ((clock <= horizon && warp <= warps) || (warp == lastWarp && clock == lastClock))
        continue;
      if (!isKnown(warp, clock))
        return false;
      lastWarp = warp;
      lastClock = clock;
    }
  return true;
}

/// Returns whether all reads of the cells, except those that are not in the columns, happened before the access.
bool SharedShadow::areReadsKnown(const RowAccess &row, llvm::function_ref<bool(uint32_t, uint32_t)> isKnown) const {
  const auto isBefore = [&](uint32_t agent, uint32_t clock) {
    return agent <= row.warps ? clock <= row.horizon : isKnown(agent, clock);
  };
  uint64_t lastGroup = 0; // most reads belong to few groups
  uint32_t lastWarp = 0, lastClock = 0;
  for (size_t i = row.first; i < row.first + row.count; ++i) {
    const uint64_t group = readers[i];
    const uint32_t warp = reads.warps[i], clock = reads.clocks[i];
    if (group == lastGroup && warp == lastWarp && clock == lastClock)
      continue;
    if (!group && !isBefore(warp, clock))
      return false;
    for (uint64_t left = group; left; left &= left - 1) {
      const auto reader = static_cast<uint32_t>(__builtin_ctzll(left));
      if (!isBefore(reader <= row.warps ? reader : reader + 3 * row.warps, clock)) // the agent of `Agents::ofReader`
        return false;
    }
    lastGroup = group;
    lastWarp = warp;
    lastClock = clock;
  }
  return true;
}

/// Returns whether four numbers are the same.
static bool areSameFour(const uint32_t *numbers) {
  uint64_t first, second;
  std::memcpy(&first, numbers, sizeof first);
  std::memcpy(&second, numbers + 2, sizeof second);
  return first == second && first >> 32 == (first & 0xffffffff);
}

/// Returns whether four cells and their lanes are the same, so that one of them represents all.
static bool areFourAlike(const RowColumns &writes, const RowColumns &reads, const uint64_t *readers,
                         const uint32_t *lanes) {
  return areSameFour(writes.warps) && areSameFour(writes.clocks) && areSameFour(writes.lanes) &&
         areSameFour(reads.warps) && areSameFour(reads.clocks) && areSameFour(reads.lanes) &&
         areSameFour(reads.details) && areSameFour(lanes) && readers[0] == readers[1] && readers[0] == readers[2] &&
         readers[0] == readers[3];
}

bool SharedShadow::noteRow(const RowAccess &row, llvm::function_ref<bool(uint32_t, uint32_t)> isKnown) {
  constexpr size_t longRow = 8; // number of cells
  const bool isLong = isWide() && row.count >= longRow;
  const uint64_t reader = row.now.warp < 64 ? uint64_t(1) << row.now.warp : 0;
  uint64_t *const group = readers.data() + row.first;
  const RowColumns written(writes, row.first), read(reads, row.first);
  RowAccess asked = row;
  if (row.count == 4 && areFourAlike(written, read, group, row.lanes)) // each of 16 bytes
    asked.count = 1;
  const RowAnswers answers = (isLong ? askWide : askShort)(written, read, group, asked, reader);
  const ByteRun run{static_cast<uint32_t>(row.first * bytesOfCell),
                    static_cast<uint32_t>((row.first + row.count) * bytesOfCell)};
  if (!answers.areWritesBefore && !areWritesKnown(run, row.horizon, row.warps, isKnown))
    return false;
  const auto place = static_cast<uint32_t>(row.now.at - instructions);
  const bool needsThem = row.isWrite ? !answers.areReadsOfSameLane : !answers.areReadsOfNow;
  const bool areReadsOld = answers.areReadsOld || (needsThem && areReadsKnown(row, isKnown));
  if (row.isWrite) {
    if (answers.hasMoreReads || !(areReadsOld || answers.areReadsOfSameLane))
      return false;
    (isLong ? fillWide : fillShort)(writes, row, place, 0);
    latestWrite = std::max(latestWrite, row.now.warp <= row.warps ? row.now.clock : ~0u);
    return true;
  }
  if (!areReadsOld && !(answers.areReadsOfNow && reader))
    return false;
  if (!areReadsOld) {
    const auto isMine = [reader](uint64_t one) { return one == reader; };
    const auto mine = static_cast<size_t>(std::count_if(group, group + row.count, isMine));
    if (mine == row.count)
      return true; // the first read of the warp is reported
    if (mine || std::count(group, group + row.count, 0))
      return false;
  }
  (isLong ? fillWide : fillShort)(reads, row, place, moreMask);
  for (size_t i = 0; i < row.count; ++i)
    group[i] = areReadsOld ? reader : group[i] | reader;
  return true;
}

} // namespace ptxray::machine
