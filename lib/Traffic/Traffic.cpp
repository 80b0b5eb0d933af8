#include "Traffic/Traffic.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <algorithm>
#include <array>

namespace ptxray::traffic {

static constexpr uint32_t bankCount = 32, wordBytes = 4, passBytes = bankCount * wordBytes;

static uint32_t lanesIn(uint32_t mask) { return static_cast<uint32_t>(__builtin_popcount(mask)); }
static uint32_t divideUp(uint32_t a, uint32_t b) { return (a + b - 1) / b; }

/// The lanes from `first` on.
static uint32_t groupOf(uint32_t mask, uint32_t first, uint32_t count) {
  return count == warpLanes ? mask : mask & ((1u << count) - 1) << first;
}

namespace {

/// Lanes that name the same word get it together, or one after the other.
enum class SameWord : uint8_t {
  Shared, // all lanes get it at once
  Apart,  // each lane has it for itself: atomic operations, writes of copies
};

/// Words that lanes want: the most of one bank.
class Words {
public:
  void add(uint64_t word) {
    areAscending &= !count || words[count - 1] < word;
    words[count++] = word;
  }
  /// All that have been added, however often.
  uint8_t worstOfAll() const {
    Counts wanted{};
    for (uint32_t i = 0; i < count; ++i)
      ++wanted[words[i] % bankCount];
    return *std::max_element(wanted.begin(), wanted.end());
  }
  /// Each of them once.
  uint8_t worstOfDifferent() const {
    if (areAscending)
      return worstOfAll();
    Counts wanted{}, newest{}; // newest: the number of the last word of a bank, from 1 on
    std::array<uint8_t, most> before;
    for (uint32_t i = 0; i < count; ++i) {
      const auto bank = static_cast<uint32_t>(words[i] % bankCount);
      uint8_t same = newest[bank];
      while (same && words[same - 1] != words[i])
        same = before[same - 1];
      if (same)
        continue;
      ++wanted[bank];
      before[i] = newest[bank];
      newest[bank] = static_cast<uint8_t>(i + 1);
    }
    return *std::max_element(wanted.begin(), wanted.end());
  }

private:
  static constexpr size_t most = size_t(warpLanes) * 4;
  using Counts = std::array<uint8_t, bankCount>;
  std::array<uint64_t, most> words; // those before `count` are set
  uint32_t count = 0;
  bool areAscending = true;
};

} // namespace

/// The most words that lanes want of one bank.
static uint32_t worstBank(const LaneAddresses &lanes, uint32_t mask, SameWord same) {
  Words words;
  for (uint32_t left = mask; left; left &= left - 1)
    for (uint32_t byte = 0; byte < std::max(lanes.bytes, wordBytes); byte += wordBytes)
      words.add((lanes.at[__builtin_ctz(left)] + byte) / wordBytes);
  return same == SameWord::Apart ? words.worstOfAll() : words.worstOfDifferent();
}

/// Returns whether lanes whose numbers differ by `distance` have the same address. A lane that takes no part fits any
/// other.
static bool arePaired(const LaneAddresses &lanes, uint32_t mask, uint32_t distance) {
  for (uint32_t left = mask; left; left &= left - 1) {
    const auto lane = static_cast<uint32_t>(__builtin_ctz(left));
    if (mask >> (lane ^ distance) & 1 && lanes.at[lane] != lanes.at[lane ^ distance])
      return false;
  }
  return true;
}

/// All lanes, one after the other, each aligned to its size.
static bool isRow(const LaneAddresses &lanes) {
  uint64_t other = lanes.mask != ~0u || lanes.at[0] % lanes.bytes;
  for (uint32_t lane = 0; lane < warpLanes; ++lane)
    other |= lanes.at[lane] ^ (lanes.at[0] + uint64_t(lane) * lanes.bytes);
  return !other;
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

/// Lanes of two passes take one if neighbours, or neighbours but one, want the same, and no bank is wanted twice then.
static Wavefronts wavefrontsOfLoad(const LaneAddresses &lanes) {
  if (!lanes.mask || lanes.bytes <= wordBytes || isRow(lanes))
    return wavefrontsOfStore(lanes, SameWord::Shared);
  Wavefronts passes;
  const uint32_t size = lanesOfPass(lanes.bytes);
  for (uint32_t first = 0; first < warpLanes; first += 2 * size) {
    const uint32_t both = groupOf(lanes.mask, first, 2 * size);
    const bool canJoin = arePaired(lanes, both, 1) || arePaired(lanes, both, 2);
    const uint32_t joined = canJoin ? worstBank(lanes, both, SameWord::Shared) : 0;
    passes.count += joined == 1 ? joined
                                : worstBank(lanes, groupOf(lanes.mask, first, size), SameWord::Shared) +
                                      worstBank(lanes, groupOf(lanes.mask, first + size, size), SameWord::Shared);
  }
  if (areAllSame(lanes))
    passes.count = 1;
  passes.ideal = std::min(passes.count, idealPasses(lanes));
  return passes;
}

Wavefronts wavefrontsOf(AccessKind kind, const LaneAddresses &lanes) {
  constexpr uint32_t mostCached = 8; // bytes of a copy
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

namespace {

/// Different numbers of pieces, by a few bits of each in which it differs from most others.
class PieceSet {
public:
  bool add(uint64_t piece) {
    constexpr uint64_t golden = 0x9e3779b97f4a7c15;
    uint8_t &bucket = newest[piece * golden >> 58];
    for (uint8_t one = bucket; one; one = before[one])
      if (pieces[one] == piece)
        return false;
    ++count;
    pieces[count] = piece;
    before[count] = bucket;
    bucket = count;
    return true;
  }
  uint8_t count = 0;

private:
  static constexpr size_t most = size_t(warpLanes) * 2; // an access lies in two sectors at most
  std::array<uint64_t, most + 1> pieces;                // those up to `count` are set
  std::array<uint8_t, most + 1> before;
  std::array<uint8_t, 64> newest{};
};

} // namespace

Pieces piecesOf(const LaneAddresses &lanes) {
  constexpr uint32_t sectorBytes = 32, lineBytes = 128;
  if (!lanes.mask)
    return {};
  Pieces pieces;
  if (isRow(lanes)) {
    const uint64_t first = lanes.at[0], last = first + warpLanes * uint64_t(lanes.bytes) - 1;
    pieces.sectors = static_cast<uint32_t>(last / sectorBytes - first / sectorBytes + 1);
    pieces.lines = static_cast<uint32_t>(last / lineBytes - first / lineBytes + 1);
    pieces.ideal = std::min(pieces.sectors, divideUp(warpLanes * lanes.bytes, sectorBytes));
    return pieces;
  }
  PieceSet sectors, inLines;
  for (uint32_t left = lanes.mask; left; left &= left - 1) {
    const uint64_t at = lanes.at[__builtin_ctz(left)], last = (at + lanes.bytes - 1) / sectorBytes;
    for (uint64_t sector = at / sectorBytes; sector <= last; ++sector)
      if (sectors.add(sector))
        inLines.add(sector / (lineBytes / sectorBytes));
  }
  pieces.sectors = sectors.count;
  pieces.lines = inLines.count;
  pieces.ideal = std::min(pieces.sectors, divideUp(lanesIn(lanes.mask) * lanes.bytes, sectorBytes));
  return pieces;
}

uint32_t collisionsOf(const LaneAddresses &lanes) {
  llvm::SmallVector<uint64_t, 32> addresses;
  for (uint32_t left = lanes.mask; left; left &= left - 1)
    addresses.push_back(lanes.at[__builtin_ctz(left)]);
  llvm::sort(addresses);
  return lanesIn(lanes.mask) - static_cast<uint32_t>(llvm::unique(addresses) - addresses.begin());
}

} // namespace ptxray::traffic
