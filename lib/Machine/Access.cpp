#include "Machine/Access.h"
#include "Machine/LateAccesses.h"
#include "Machine/Notify.h"
#include "Machine/Wide.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <array>
#include <cstring>

namespace ptxray::machine {

using traffic::AccessKind;

namespace {

/// A contiguous range of memory.
struct Region {
  uint64_t begin = 0, end = 0; // addresses
  uint8_t *bytes = nullptr;
};

} // namespace

/// Computes the addresses of all lanes.
static void addressesOf(const char *registers, const AddressOf &address, uint64_t *at) {
  static const LaneShape none{};
  findAddresses(registers, address, none, at);
}

/// Returns the region that contains an address, in memory that all lanes share, or an empty one.
static inline Region regionAt(Warp &warp, const Op &op, const MemoryAccess &access, uint64_t address) {
  const Space space = access.address.space;
  const bool isGeneric = space == Space::Generic && address < 5 * windowBytes;
  if (space == Space::Shared || (isGeneric && address / windowBytes == 2)) {
    const uint64_t window = isGeneric ? sharedWindow : 0, rank = (address - window) >> sharedRankShift;
    if (rank >= warp.block->cluster.size() || !warp.block->reaches(*warp.block->cluster[rank]))
      return {};
    const uint64_t begin = window + (rank << sharedRankShift);
    const ByteRun zone = sharedZoneAt(*warp.block->grid, address - begin);
    return zone.end
               ? Region{begin + zone.begin, begin + zone.end, warp.block->cluster[rank]->shared.data() + zone.begin}
               : Region();
  }
  if (space == Space::Param && !access.isWrite) {
    std::vector<uint8_t> &parameters = warp.block->grid->parameters;
    return {0, parameters.size(), parameters.data()};
  }
  if (isGeneric || space == Space::Local || space == Space::Param)
    return {};
  const Allocation *last = allocationAt(warp, op, address);
  return last && !(access.isWrite && last->isConstant) ? Region{last->begin, last->end, last->bytes} : Region();
}

/// Finds the memory of all lanes if it is in one region. Returns false if it is not.
static inline bool findTogether(Warp &warp, const Op &op, const MemoryAccess &access, const uint64_t *at,
                                Pointers &found) {
  const LaneShape &shape = *found.shape;
  const uint64_t first = at[shape.lane], low = first + static_cast<uint64_t>(shape.low),
                 high = first + static_cast<uint64_t>(shape.high);
  if (!shape.isAligned || first & (access.alignment - 1))
    return false;
  const Region region = regionAt(warp, op, access, low);
  if (!region.bytes || high < low || high > region.end || access.bytes > region.end - high)
    return false;
  found.first = region.bytes + (first - region.begin);
  return true;
}

static void findOneByOne(Warp &warp, const Op &op, const MemoryAccess &access, const uint64_t *at, Pointers &found) {
  found.shape = nullptr;
  for (uint32_t left = found.mask; left; left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(left));
    Lookup one = look(warp, access.address.space, at[lane], access.bytes, lane, access.isWrite);
    if (at[lane] & (access.alignment - 1)) // a GPU checks alignment first
      one = {nullptr, AccessFault::Misaligned};
    if (!one.bytes) {
      report(warp, op, one.fault, access.address, at[lane], access.bytes, access.isWrite, lane);
      found.mask &= ~(1u << lane);
    }
    found.of[lane] = one.bytes;
  }
}

/// Finds the memory of an access. `shape` is that of the addresses, or null for a single lane.
static inline Pointers find(const Op &op, const MemoryAccess &access, const uint64_t *at, const LaneShape *shape,
                            uint32_t mask, Warp &warp) {
  Pointers found(mask, shape);
  if (!shape || !findTogether(warp, op, access, at, found))
    findOneByOne(warp, op, access, at, found);
  observersOf(warp).notify(events::Accesses, [&](Observer &one) { one.accesses(warp, {op, access, at, found}); });
  return found;
}

template <class Register, class Element> static void load(Register *to, const Pointers &from, size_t offset) {
  constexpr size_t step = sizeof(Element);
  if (from.shape && from.mask == allLanes) {
    const LaneShape &shape = *from.shape;
    const uint8_t *const first = from.first + offset;
    const bool isRow = shape.isRow && shape.bytes == step;
    Element element;
    if (isRow && sizeof(Register) == step) {
      std::memcpy(to, first, warpSize * step);
      return;
    }
    if (isRow) {
      for (unsigned lane = 0; lane < warpSize; ++lane) {
        std::memcpy(&element, first + lane * step, step);
        to[lane] = element;
      }
      return;
    }
    PTXRAY_UNROLLED
    for (unsigned lane = 0; lane < warpSize; ++lane) {
      std::memcpy(&element, first + shape.distances[lane], step);
      to[lane] = element;
    }
    return;
  }
  for (uint32_t left = from.mask; left; left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(left));
    Element element;
    std::memcpy(&element, from.at(lane) + offset, sizeof element);
    to[lane] = element;
  }
}
template <class Register, class Element> static void store(const Register *from, const Pointers &to, size_t offset) {
  constexpr size_t step = sizeof(Element);
  if (to.shape && to.shape->isRow && to.shape->bytes == step) {
    if (sizeof(Register) == step) {
      std::memcpy(to.first, from, warpSize * step);
      return;
    }
    for (unsigned lane = 0; lane < warpSize; ++lane) {
      const auto element = static_cast<Element>(from[lane]);
      std::memcpy(to.first + lane * step, &element, step);
    }
    return;
  }
  for (uint32_t left = to.mask; left; left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(left));
    const auto element = static_cast<Element>(from[lane]);
    std::memcpy(to.at(lane) + offset, &element, sizeof element);
  }
}

/// Calls `move` with the types of a register and an element.
// NOLINTBEGIN(bugprone-branch-clone): the branches differ in their types.
template <class Move> static void byWidths(unsigned registerBits, unsigned bits, Move move) {
  const auto ofElement = [&]<class Register>(Register) {
    if (bits == 8)
      move(Register(), uint8_t());
    else if (bits == 16)
      move(Register(), uint16_t());
    else if (bits == 32)
      move(Register(), uint32_t());
    else if (bits == 64)
      move(Register(), uint64_t());
    else
      move(Register(), Bits());
  };
  if (registerBits == 16)
    ofElement(uint16_t());
  else if (registerBits == 32)
    ofElement(uint32_t());
  else if (registerBits == 64)
    ofElement(uint64_t());
  else
    ofElement(Bits());
}
// NOLINTEND(bugprone-branch-clone)

/// Returns whether the memory model may delay the access. If not, makes pending stores to these locations visible.
static bool isWeak(const MemoryAccess &access, const uint64_t *at, const Pointers &places, Warp &warp) {
  const Space space = access.address.space;
  if (!places.mask || !(space == Space::Global || space == Space::Generic) || warp.doer.agent)
    return false;
  doOverlapping(warp, at, places.mask, access.bytes);
  bool isPossible =
      access.elements.size() == 1 && (access.bits == 32 || access.bits == 64) && access.elements[0].bits == access.bits;
  for (uint32_t left = places.mask; left; left &= left - 1)
    isPossible &= space == Space::Global || at[__builtin_ctz(left)] >= globalBegin;
  for (uint32_t left = places.mask; left && !isPossible; left &= left - 1)
    warp.weak->settle(places.at(__builtin_ctz(left)), access.bytes);
  return isPossible;
}

static WeakAccess weakAccess(const MemoryAccess &access, unsigned lane) {
  const bool orders = access.isWrite ? access.releases : access.acquires;
  return {access.bytes, lane, access.isStrong, orders, access.isOfBlock ? Reach::Block : Reach::Everybody};
}

static void loadWeakly(char *registers, const MemoryAccess &access, const Pointers &from, Warp &warp) {
  warp.weak->wait();
  for (uint32_t left = from.mask; left; left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(left));
    const uint64_t value = warp.weak->load(from.at(lane), weakAccess(access, lane));
    std::memcpy(registers + access.elements[0].slot + size_t(lane) * access.bytes, &value, access.bytes);
  }
}

static void storeWeakly(const char *registers, const MemoryAccess &access, const Pointers &to, Warp &warp) {
  warp.weak->wait();
  for (uint32_t left = to.mask; left; left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(left));
    uint64_t value = 0;
    std::memcpy(&value, registers + access.elements[0].slot + size_t(lane) * access.bytes, access.bytes);
    warp.weak->store(to.at(lane), weakAccess(access, lane), value);
  }
}

static inline void loadAll(char *registers, const Op &op, const MemoryAccess &access, const uint64_t *at,
                           const LaneShape *shape, uint32_t mask, Warp &warp) {
  const Pointers from = find(op, access, at, shape, mask, warp);
  if (warp.weak && isWeak(access, at, from, warp))
    return loadWeakly(registers, access, from, warp);
  size_t offset = 0;
  for (const Place &place : access.elements) {
    if (place.bits)
      byWidths(place.bits, access.bits, [&]<class Register, class Element>(Register, Element) {
        load<Register, Element>(lanesOf<Register>(registers, place.slot), from, offset);
      });
    offset += access.bits / 8;
  }
}

static inline void storeAll(char *registers, const Op &op, const MemoryAccess &access, const uint64_t *at,
                            const LaneShape *shape, uint32_t mask, Warp &warp) {
  const Pointers to = find(op, access, at, shape, mask, warp);
  if (warp.doer.stage == Stage::Begin)
    return;
  if (warp.weak && isWeak(access, at, to, warp))
    return storeWeakly(registers, access, to, warp);
  size_t offset = 0;
  for (const Place &place : access.elements) {
    byWidths(place.bits, access.bits, [&]<class Register, class Element>(Register, Element) {
      store<Register, Element>(lanesOf<Register>(registers, place.slot), to, offset);
    });
    offset += access.bits / 8;
  }
}

const Allocation *findAllocation(const Warp &warp, uint64_t address) { return warp.block->grid->memory.find(address); }

/// Computes the addresses of all lanes, and returns their shape, or null for a single lane.
static inline LaneShape *shapeOf(const char *registers, const MemoryAccess &access, uint64_t *at, uint32_t mask,
                                 Warp &warp) {
  if (!(mask & (mask - 1))) {
    addressesOf(registers, access.address, at);
    return nullptr;
  }
  LaneShape &shape = warp.block->grid->shapes.of(access.number, mask);
  if (findAddresses(registers, access.address, shape, at) && shape.mask == mask)
    return &shape;
  if (std::exchange(shape.isHeld, false))
    observersOf(warp).notify(events::Accesses, [&](Observer &one) { one.reshapes(*warp.block->grid, shape); });
  shape.find(at, mask, access);
  return &shape;
}

static inline void reportIssue(Warp &warp, const IssuedAccess &access) {
  observersOf(warp).notify(events::Issues, [&](Observer &one) { one.issues(warp, access); });
}

void loadElements(char *registers, const Op &op, uint32_t mask, Warp &warp) {
  const auto &access = *static_cast<const MemoryAccess *>(op.more);
  uint64_t at[warpSize];
  LaneShape *shape = shapeOf(registers, access, at, mask, warp);
  reportIssue(warp, {op, AccessKind::Load, access.address.space, {at, mask, access.bytes}, shape});
  loadAll(registers, op, access, at, shape, mask, warp);
}
void storeElements(char *registers, const Op &op, uint32_t mask, Warp &warp) {
  const auto &access = *static_cast<const MemoryAccess *>(op.more);
  uint64_t at[warpSize];
  LaneShape *shape = shapeOf(registers, access, at, mask, warp);
  reportIssue(warp, {op, AccessKind::Store, access.address.space, {at, mask, access.bytes}, shape});
  storeAll(registers, op, access, at, shape, mask, warp);
}

namespace {

/// An atomic operation, which is performed immediately, but after pending stores of its warp to the same location or,
/// if it releases, to any location.
class WeakAtomic {
public:
  WeakAtomic(const AtomicAccess &atomic, const uint64_t *to, unsigned lane, Warp &warp)
      : warp(warp), weak(std::move(warp.weak)), lane(lane) {
    if (!weak || !to)
      return;
    access = &atomic.writes[0];
    place = look(warp, access->address.space, to[lane], access->bytes, lane, true).bytes;
    if (!place || access->bytes > sizeof before)
      return;
    weak->wait();
    const uint64_t found = weak->beginAtomic(place, weakAccess(*access, lane));
    std::memcpy(&before, place, access->bytes);
    std::memcpy(place, &found, access->bytes);
  }
  WeakAtomic(const WeakAtomic &) = delete;
  WeakAtomic &operator=(const WeakAtomic &) = delete;
  ~WeakAtomic() {
    if (place && access->bytes <= sizeof before) {
      uint64_t after = 0;
      std::memcpy(&after, place, access->bytes);
      std::memcpy(place, &before, access->bytes);
      weak->endAtomic(place, weakAccess(*access, lane), after, access->acquires);
    }
    warp.weak = std::move(weak);
  }

private:
  Warp &warp;
  std::unique_ptr<WeakView> weak;
  const unsigned lane;
  const MemoryAccess *access = nullptr;
  uint8_t *place = nullptr;
  uint64_t before = 0;
};

} // namespace

void accessAtomically(char *registers, const Op &op, uint32_t mask, Warp &warp) {
  const auto &atomic = *static_cast<const AtomicAccess *>(op.more);
  // The atomic operation may overwrite its address register with the old value.
  using Addresses = llvm::SmallVector<std::array<uint64_t, warpSize>, 1>;
  const auto addresses = [&](llvm::ArrayRef<MemoryAccess> accesses) {
    Addresses at(accesses.size());
    for (size_t i = 0; i < at.size(); ++i)
      addressesOf(registers, accesses[i].address, at[i].data());
    return at;
  };
  const Addresses from = addresses(atomic.reads), to = addresses(atomic.writes);
  if (!to.empty())
    reportIssue(warp, {op,
                       atomic.isIncrement ? AccessKind::Increment : AccessKind::Atomic,
                       atomic.writes[0].address.space,
                       {to[0].data(), mask, atomic.writes[0].bytes}});
  if (warp.weak && !warp.weak->late.empty() && !to.empty())
    doOverlapping(warp, to[0].data(), mask, atomic.writes[0].bytes);
  for (uint32_t left = mask; left; left &= left - 1) {
    const uint32_t lane = left & -left;
    WeakAtomic weak(atomic, to.empty() ? nullptr : to[0].data(), static_cast<unsigned>(__builtin_ctz(lane)), warp);
    const bool isInGlobal = !atomic.inGlobal.empty() && to[0][__builtin_ctz(lane)] >= globalBegin;
    const AtomicAccess &here = isInGlobal ? atomic.inGlobal.front() : atomic;
    for (size_t i = 0; i < from.size(); ++i)
      loadAll(registers, op, here.reads[i], from[i].data(), nullptr, lane, warp);
    for (const Op &one : here.ops)
      execute(registers, one, lane, warp);
    for (size_t i = 0; i < to.size() && !warp.fault; ++i)
      storeAll(registers, op, here.writes[i], to[i].data(), nullptr, lane, warp);
  }
}

static void issueCopy(const MemoryCopy &copy, const char *registers, const Op &op, uint32_t mask, Warp &warp) {
  constexpr uint32_t mostByThread = 16; // larger copies are bulk copies
  if (!copy.bytes || copy.bytes > mostByThread) {
    for (uint32_t left = mask; left; left &= left - 1) {
      const uint64_t bytes =
          copy.bytes ? copy.bytes : addressIn(registers, {copy.count, 0}, static_cast<unsigned>(__builtin_ctz(left)));
      reportAmount(warp, op, Amount::BulkBytes, bytes);
      reportAmount(warp, op, copy.from.space, bytes);
      reportAmount(warp, op, copy.to.space, bytes);
    }
    return;
  }
  uint64_t to[warpSize], from[warpSize];
  addressesOf(registers, copy.to, to);
  addressesOf(registers, copy.from, from);
  reportIssue(warp, {op, AccessKind::Copy, copy.from.space, {from, mask, copy.bytes}});
  reportIssue(warp, {op, AccessKind::Copy, copy.to.space, {to, mask, copy.bytes}});
}

using Ranges = llvm::SmallVector<RangeAccess, size_t(2) * warpSize>;

/// Reports the ranges and clears the list.
static void reportRanges(Ranges &ranges, Warp &warp) {
  if (!ranges.empty())
    observersOf(warp).notify(events::Accesses, [&](Observer &one) { one.ranges(warp, ranges); });
  ranges.clear();
}

/// The bytes that a lane copies. The rest of `all` at the target is zeroed.
struct CopiedBytes {
  uint8_t *to = nullptr; // null if an address is invalid
  const uint8_t *from = nullptr;
  uint64_t all = 0, count = 0;
};

/// Finds the bytes that a lane copies, and adds them to the ranges.
static CopiedBytes findCopied(const MemoryCopy &copy, const char *registers, const Op &op, unsigned lane, Warp &warp,
                              Ranges &ranges) {
  uint64_t count = copy.bytes;
  if (copy.count.bits)
    count = std::min<uint64_t>(count ? count : ~0u, addressIn(registers, {copy.count, 0}, lane));
  const uint64_t to = addressIn(registers, copy.to, lane), from = addressIn(registers, copy.from, lane);
  const uint64_t all = std::max<uint64_t>(copy.bytes, count);
  const Lookup target = look(warp, copy.to.space, to, all, lane, true);
  const Lookup source = count ? look(warp, copy.from.space, from, count, lane, false) : target;
  const bool isTarget = target.bytes && !(to & (copy.alignment - 1));
  if (!isTarget || !source.bytes || from & (copy.alignment - 1)) {
    reportRanges(ranges, warp); // report races of earlier lanes first
    if (!isTarget)
      report(warp, op, target.bytes ? AccessFault::Misaligned : target.fault, copy.to, to, all, true, lane);
    else
      report(warp, op, source.bytes ? AccessFault::Misaligned : source.fault, copy.from, from, count, false, lane);
    return {};
  }
  if (observersOf(warp).want(events::Accesses)) {
    ranges.push_back({.op = op, .address = copy.to, .at = to, .bytes = all, .isWrite = true, .lane = lane});
    ranges.push_back({.op = op, .address = copy.from, .at = from, .bytes = count, .isWrite = false, .lane = lane});
  }
  return {target.bytes, source.bytes, all, count};
}

static void moveCopied(const MemoryCopy &copy, const CopiedBytes &bytes, const Op &op, Warp &warp) {
  const uint64_t rest = bytes.all - bytes.count;
  if (warp.doer.stage == Stage::Begin)
    return copy.from.space == Space::Shared ? void() : poison(bytes.to, bytes.all);
  observersOf(warp).notify(events::Moves, [&](Observer &one) {
    const MovedBytes parts[] = {{.to = bytes.to, .from = bytes.from, .bytes = static_cast<uint32_t>(bytes.count)},
                                {.to = bytes.to + bytes.count, .bytes = static_cast<uint32_t>(rest)}};
    one.moves(warp, op, parts);
  });
  std::memmove(bytes.to, bytes.from, bytes.count);
  std::memset(bytes.to + bytes.count, 0, rest);
}

void copyBytes(char *registers, const Op &op, uint32_t mask, Warp &warp) {
  const auto &copy = *static_cast<const MemoryCopy *>(op.more);
  const Observers &observers = observersOf(warp);
  if (observers.want(events::Issues))
    issueCopy(copy, registers, op, mask, warp);
  observers.notify(events::Accesses, [&](Observer &one) { one.beginsAccess(warp); });
  Ranges ranges;
  std::array<CopiedBytes, warpSize> copied;
  for (uint32_t left = mask; left; left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(left));
    copied[lane] = findCopied(copy, registers, op, lane, warp, ranges);
  }
  reportRanges(ranges, warp);
  for (uint32_t left = mask; left; left &= left - 1)
    if (const CopiedBytes &found = copied[__builtin_ctz(left)]; found.to)
      moveCopied(copy, found, op, warp);
}

void poison(uint8_t *bytes, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i)
    bytes[i] = i % 2 ? 0x7f : 0xf7;
}

using Matrix = std::array<std::array<uint16_t, 8>, 8>;

/// Returns the element of a matrix that corresponds to one half of a lane's register.
static uint16_t &elementOf(Matrix &matrix, const MatrixAccess &access, unsigned lane, unsigned half) {
  const unsigned row = lane / 4, column = lane % 4 * 2 + half;
  return access.isTransposed ? matrix[column][row] : matrix[row][column];
}

/// Reports the registers to or from which the elements of a matrix row are moved.
static void reportMoves(const MatrixAccess &access, unsigned matrix, unsigned row, uint8_t *memory, const Op &op,
                        Warp &warp) {
  observersOf(warp).notify(events::Moves, [&](Observer &one) {
    std::array<MovedBytes, 8> parts;
    for (unsigned column = 0; column < parts.size(); ++column) {
      const unsigned inRow = access.isTransposed ? column : row, at = access.isTransposed ? row : column;
      MovedBytes &part = parts[column];
      if (access.isWrite)
        part.to = memory + 2 * column;
      else
        part.from = memory + 2 * column;
      part.bytes = 2;
      part.slot = access.registers[matrix].slot;
      part.lane = inRow * 4 + at / 2;
      part.byte = at % 2 * 2;
    }
    one.moves(warp, op, parts);
  });
}

/// Finds the bytes of a row at its lane's address, and adds them to the ranges. Returns null if there are none.
static uint8_t *findRow(const MatrixAccess &access, const uint16_t *stored, unsigned lane, const char *registers,
                        const Op &op, Warp &warp, Ranges &ranges) {
  constexpr uint64_t rowBytes = 16;
  const uint64_t address = addressIn(registers, access.rows, lane);
  const bool isShared = access.rows.space != Space::Generic || address / windowBytes == sharedWindow / windowBytes;
  Lookup found;
  if (isShared)
    found = look(warp, access.rows.space, address, rowBytes, lane, access.isWrite);
  if (found.bytes && address & (rowBytes - 1))
    found = {nullptr, AccessFault::Misaligned};
  if (!found.bytes) {
    reportRanges(ranges, warp); // report races of earlier rows first
    if (!leavesShared(warp, op, access.rows, address, rowBytes, access.isWrite, lane))
      report(warp, op, found.fault, access.rows, address, rowBytes, access.isWrite, lane);
    return nullptr;
  }
  if (observersOf(warp).want(events::Accesses))
    ranges.push_back({.op = op,
                      .address = access.rows,
                      .at = address,
                      .bytes = rowBytes,
                      .isWrite = access.isWrite,
                      .by = RangeAccess::By::ManyLanes,
                      .lane = lane,
                      .stored = stored,
                      .memory = found.bytes});
  return found.bytes;
}

/// Reads or writes rows of matrices.
static void moveRows(llvm::MutableArrayRef<Matrix> matrices, llvm::ArrayRef<uint8_t *> rows, const MatrixAccess &access,
                     const Op &op, Warp &warp) {
  for (unsigned i = 0; i < rows.size(); ++i) {
    std::array<uint16_t, 8> &row = matrices[i / 8][i % 8];
    reportMoves(access, i / 8, i % 8, rows[i], op, warp);
    if (access.isWrite)
      std::memcpy(rows[i], row.data(), sizeof row);
    else
      std::memcpy(row.data(), rows[i], sizeof row);
  }
}

void accessMatrices(char *registers, const Op &op, uint32_t mask, Warp &warp) {
  const auto &access = *static_cast<const MatrixAccess *>(op.more);
  std::array<Matrix, 4> matrices{};
  observersOf(warp).notify(events::Accesses, [&](Observer &one) { one.beginsAccess(warp); });
  if (observersOf(warp).want(events::Issues)) {
    constexpr uint32_t rowBytes = 16;
    uint64_t at[warpSize];
    addressesOf(registers, access.rows, at);
    const uint64_t rows = access.registers.size() * 8; // addresses of rows, which the first lanes provide
    reportIssue(
        warp,
        {op, AccessKind::Matrix, access.rows.space, {at, static_cast<uint32_t>((uint64_t(1) << rows) - 1), rowBytes}});
  }
  Ranges ranges;
  llvm::SmallVector<uint8_t *, warpSize> rows;
  for (unsigned i = 0; i < access.registers.size(); ++i) {
    const auto *lanes = lanesOf<uint32_t>(registers, access.registers[i].slot);
    for (unsigned lane = 0; access.isWrite && lane < warpSize; ++lane)
      for (const unsigned half : {0, 1})
        elementOf(matrices[i], access, lane, half) = static_cast<uint16_t>(lanes[lane] >> 16 * half);
    for (unsigned row = 0; row < 8; ++row) {
      const uint16_t *stored = access.isWrite ? matrices[i][row].data() : nullptr;
      uint8_t *const found = findRow(access, stored, i * 8 + row, registers, op, warp, ranges);
      if (!found)
        return access.isWrite ? moveRows(matrices, rows, access, op, warp) : void();
      rows.push_back(found);
    }
  }
  reportRanges(ranges, warp);
  moveRows(matrices, rows, access, op, warp);
  for (unsigned i = 0; !access.isWrite && i < access.registers.size(); ++i) {
    auto *lanes = lanesOf<uint32_t>(registers, access.registers[i].slot);
    for (unsigned lane = 0; lane < warpSize; ++lane)
      if (mask >> lane & 1)
        lanes[lane] = elementOf(matrices[i], access, lane, 0) | uint32_t(elementOf(matrices[i], access, lane, 1)) << 16;
  }
}

} // namespace ptxray::machine
