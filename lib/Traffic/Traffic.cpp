#include "Traffic/Traffic.h"
#include <algorithm>
#include <array>

namespace ptxray::traffic {

static constexpr uint32_t bankCount = 32, wordBytes = 4, passBytes = bankCount * wordBytes;

static uint32_t divideUp(uint32_t a, uint32_t b) { return (a + b - 1) / b; }

/// Returns `count` lanes of the mask, starting at `first`.
static uint32_t groupOf(uint32_t mask, uint32_t first, uint32_t count) {
  return count == warpLanes ? mask : mask & ((1u << count) - 1) << first;
}

namespace {

/// Whether lanes that access the same word are served together.
enum class SameWord : uint8_t {
  Shared, // broadcast to all lanes
  Apart,  // served separately: atomic operations, writes of copies
};

/// A set of numbers, at most one per lane, in buckets that should contain few numbers each.
class Numbers {
public:
  static constexpr uint32_t buckets = 64;
  /// Adds the number if the bucket does not contain it. Returns its index; the first index is 1.
  uint8_t add(uint64_t number, uint64_t bucket) {
    uint8_t &newest = first[bucket];
    for (uint8_t one = newest; one; one = next[one])
      if (all[one] == number)
        return one;
    ++count;
    all[count] = number;
    next[count] = newest;
    return newest = count;
  }
  uint8_t add(uint64_t number) {
    constexpr uint64_t golden = 0x9e3779b97f4a7c15;
    static_assert(buckets == 1 << (64 - 58));
    return add(number, number * golden >> 58);
  }
  uint8_t count = 0;

private:
  std::array<uint8_t, buckets> first{};    // indices; 0 for none
  std::array<uint64_t, warpLanes + 1> all; // valid up to `count`
  std::array<uint8_t, warpLanes + 1> next; // valid up to `count`
};

} // namespace

/// Returns the maximum number of words that lanes request from one bank. Wider accesses request one word from several
/// banks at once.
static uint32_t worstBank(const LaneAddresses &lanes, uint32_t mask, SameWord same) {
  const uint32_t bytes = std::max(lanes.bytes, wordBytes), banks = passBytes / bytes;
  const auto shift = static_cast<uint32_t>(__builtin_ctz(bytes));
  Numbers words;
  std::array<uint8_t, bankCount> wanted{};
  uint8_t worst = 0;
  for (uint32_t left = mask; left; left &= left - 1) {
    const uint64_t word = lanes.at[__builtin_ctz(left)] >> shift, bank = word % banks;
    const uint8_t before = words.count;
    if (same == SameWord::Shared && (words.add(word, bank), words.count == before))
      continue;
    worst = std::max(worst, ++wanted[bank]);
  }
  return worst;
}

/// Whether a lane without a partner fits.
enum class LoneLane : uint8_t { Fits, DoesNotFit };

/// Returns whether lanes whose numbers differ by `distance` have the same address.
static bool arePaired(const LaneAddresses &lanes, uint32_t mask, uint32_t distance, LoneLane lone) {
  for (uint32_t left = mask; left; left &= left - 1) {
    const auto lane = static_cast<uint32_t>(__builtin_ctz(left));
    const bool hasBoth = mask >> (lane ^ distance) & 1;
    if (hasBoth ? lanes.at[lane] != lanes.at[lane ^ distance] : lone == LoneLane::DoesNotFit)
      return false;
  }
  return true;
}

/// Returns whether all lanes access consecutive addresses.
static bool isRow(const LaneAddresses &lanes) {
  if (lanes.mask != ~0u)
    return false;
  for (uint32_t lane = 1; lane < warpLanes; ++lane)
    if (lanes.at[lane] - lanes.at[lane - 1] != lanes.bytes)
      return false;
  return true;
}

static uint32_t lanesOfPass(uint32_t bytes) { return bytes <= wordBytes ? warpLanes : passBytes / bytes; }

static bool areAllSame(const LaneAddresses &lanes) {
  const uint64_t first = lanes.at[__builtin_ctz(lanes.mask)];
  for (uint32_t left = lanes.mask; left; left &= left - 1)
    if (lanes.at[__builtin_ctz(left)] != first)
      return false;
  return true;
}

static uint32_t idealPasses(const LaneAddresses &lanes) {
  return divideUp(lanesIn(lanes.mask) * lanes.bytes, passBytes);
}

static Wavefronts wavefrontsOfStore(const LaneAddresses &lanes, SameWord same) {
  Wavefronts passes;
  if (!lanes.mask)
    return passes;
  if (isRow(lanes) && lanes.bytes >= wordBytes)
    return {idealPasses(lanes), idealPasses(lanes)};
  const uint32_t size = lanesOfPass(lanes.bytes);
  for (uint32_t first = 0; first < warpLanes; first += size)
    passes.count += worstBank(lanes, groupOf(lanes.mask, first, size), same);
  passes.ideal = idealPasses(lanes);
  return passes;
}

/// Returns whether the lanes of two wavefronts, from lane `first`, fit into one. Neighbouring lanes, or every second
/// lane, must have the same address, and no bank may be needed twice. For 16 bytes per lane, the first half of a warp
/// is checked only if the warp's last lane participates; then a lane without a neighbour does not fit. No manual
/// documents this; an H100 behaves so for 21,000 patterns.
static bool canJoin(const LaneAddresses &lanes, uint32_t both, uint32_t first) {
  constexpr uint32_t longest = 16; // bytes per lane
  const bool isFirstHalf = lanes.bytes == longest && first == 0;
  if (isFirstHalf && !(lanes.mask >> (warpLanes - 1)))
    return true;
  const LoneLane lone = isFirstHalf ? LoneLane::DoesNotFit : LoneLane::Fits;
  return arePaired(lanes, both, 1, lone) || arePaired(lanes, both, 2, lone);
}

static Wavefronts wavefrontsOfLoad(const LaneAddresses &lanes) {
  if (!lanes.mask || lanes.bytes <= wordBytes || isRow(lanes))
    return wavefrontsOfStore(lanes, SameWord::Shared);
  Wavefronts passes;
  const uint32_t size = lanesOfPass(lanes.bytes);
  for (uint32_t first = 0; first < warpLanes; first += 2 * size) {
    const uint32_t both = groupOf(lanes.mask, first, 2 * size);
    const uint32_t joined = canJoin(lanes, both, first) ? worstBank(lanes, both, SameWord::Shared) : 0;
    passes.count += joined == 1 ? joined
                                : worstBank(lanes, groupOf(lanes.mask, first, size), SameWord::Shared) +
                                      worstBank(lanes, groupOf(lanes.mask, first + size, size), SameWord::Shared);
  }
  const uint32_t ideal = idealPasses(lanes);
  if (areAllSame(lanes))
    passes.count = std::min(passes.count, divideUp(ideal, 2));
  passes.ideal = std::min(passes.count, ideal);
  return passes;
}

Wavefronts wavefrontsOf(AccessKind kind, const LaneAddresses &lanes) {
  constexpr uint32_t mostCached = 8; // bytes per lane of a copy through the L1 cache
  switch (kind) {
  case AccessKind::Load: return wavefrontsOfLoad(lanes);
  case AccessKind::Copy: return lanes.bytes > mostCached ? Wavefronts{} : wavefrontsOfStore(lanes, SameWord::Apart);
  case AccessKind::Atomic: return wavefrontsOfStore(lanes, SameWord::Apart);
  case AccessKind::Store:
  case AccessKind::Increment:
  case AccessKind::Matrix: break;
  }
  return wavefrontsOfStore(lanes, SameWord::Shared);
}

Pieces piecesOf(const LaneAddresses &lanes) {
  constexpr uint32_t sectorBytes = 32, lineBytes = 128;
  const auto ideal = static_cast<uint8_t>(divideUp(lanesIn(lanes.mask) * lanes.bytes, sectorBytes));
  Pieces pieces;
  if (isRow(lanes)) {
    const uint64_t first = lanes.at[0], last = first + warpLanes * uint64_t(lanes.bytes) - 1;
    pieces.sectors = static_cast<uint8_t>(last / sectorBytes - first / sectorBytes + 1);
    pieces.lines = static_cast<uint8_t>(last / lineBytes - first / lineBytes + 1);
  } else {
    Numbers inLines;
    std::array<uint8_t, warpLanes + 1> seen{}; // sectors of each line
    for (uint32_t left = lanes.mask; left; left &= left - 1) {
      const uint64_t at = lanes.at[__builtin_ctz(left)];
      uint8_t &line = seen[inLines.add(at / lineBytes)];
      const auto sector = static_cast<uint8_t>(1 << at / sectorBytes % (lineBytes / sectorBytes));
      pieces.sectors += !(line & sector);
      line |= sector;
    }
    pieces.lines = inLines.count;
  }
  pieces.ideal = std::min(pieces.sectors, ideal);
  return pieces;
}

uint32_t collisionsOf(const LaneAddresses &lanes) {
  Numbers addresses;
  for (uint32_t left = lanes.mask; left; left &= left - 1)
    addresses.add(lanes.at[__builtin_ctz(left)]);
  return lanesIn(lanes.mask) - addresses.count;
}

} // namespace ptxray::traffic
