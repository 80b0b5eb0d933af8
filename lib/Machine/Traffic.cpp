#include "Machine/Traffic.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <algorithm>
#include <array>

namespace ptxray::machine {

static constexpr uint32_t bankCount = 32, wordBytes = 4, passBytes = bankCount * wordBytes;

static uint32_t lanesIn(uint32_t mask) { return static_cast<uint32_t>(__builtin_popcount(mask)); }
static uint32_t divideUp(uint32_t a, uint32_t b) { return (a + b - 1) / b; }

/// The lanes from `first` on.
static uint32_t groupOf(uint32_t mask, uint32_t first, uint32_t count) {
  return count == warpSize ? mask : mask & ((1u << count) - 1) << first;
}

/// The most words that lanes want of one bank.
static uint32_t worstBank(const LaneAddresses &lanes, uint32_t mask, SameWord same) {
  llvm::SmallVector<uint64_t, 128> words;
  for (uint32_t left = mask; left; left &= left - 1)
    for (uint32_t byte = 0; byte < std::max(lanes.bytes, wordBytes); byte += wordBytes)
      words.push_back((lanes.at[__builtin_ctz(left)] + byte) / wordBytes);
  if (same == SameWord::Shared) {
    llvm::sort(words);
    words.erase(llvm::unique(words), words.end());
  }
  std::array<uint32_t, bankCount> wanted{};
  for (const uint64_t word : words)
    ++wanted[word % bankCount];
  return *llvm::max_element(wanted);
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
  for (uint32_t lane = 0; lane < warpSize; ++lane)
    other |= lanes.at[lane] ^ (lanes.at[0] + uint64_t(lane) * lanes.bytes);
  return !other;
}

static uint32_t lanesOfPass(uint32_t bytes) { return bytes <= wordBytes ? warpSize : passBytes / bytes; }

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

Wavefronts wavefrontsOfStore(const LaneAddresses &lanes, SameWord same) {
  Wavefronts passes;
  if (!lanes.mask)
    return passes;
  if (isRow(lanes) && lanes.bytes >= wordBytes)
    return {idealPasses(lanes), idealPasses(lanes)};
  const uint32_t size = lanesOfPass(lanes.bytes);
  for (uint32_t first = 0; first < warpSize; first += size)
    passes.count += worstBank(lanes, groupOf(lanes.mask, first, size), same);
  passes.ideal = idealPasses(lanes);
  return passes;
}

/// Lanes of two passes take one if neighbours, or neighbours but one, want the same, and no bank is wanted twice then.
Wavefronts wavefrontsOfLoad(const LaneAddresses &lanes) {
  if (!lanes.mask || lanes.bytes <= wordBytes || isRow(lanes))
    return wavefrontsOfStore(lanes);
  Wavefronts passes;
  const uint32_t size = lanesOfPass(lanes.bytes);
  for (uint32_t first = 0; first < warpSize; first += 2 * size) {
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

static uint32_t countPieces(const LaneAddresses &lanes, uint32_t bytes) {
  llvm::SmallVector<uint64_t, 64> pieces;
  for (uint32_t left = lanes.mask; left; left &= left - 1) {
    const uint64_t at = lanes.at[__builtin_ctz(left)];
    for (uint64_t piece = at / bytes; piece <= (at + lanes.bytes - 1) / bytes; ++piece)
      pieces.push_back(piece);
  }
  llvm::sort(pieces);
  return static_cast<uint32_t>(llvm::unique(pieces) - pieces.begin());
}

Pieces piecesOf(const LaneAddresses &lanes) {
  constexpr uint32_t sectorBytes = 32, lineBytes = 128;
  if (!lanes.mask)
    return {};
  Pieces pieces;
  if (isRow(lanes)) {
    const uint64_t first = lanes.at[0], last = first + warpSize * uint64_t(lanes.bytes) - 1;
    pieces.sectors = static_cast<uint32_t>(last / sectorBytes - first / sectorBytes + 1);
    pieces.lines = static_cast<uint32_t>(last / lineBytes - first / lineBytes + 1);
    pieces.ideal = std::min(pieces.sectors, divideUp(warpSize * lanes.bytes, sectorBytes));
    return pieces;
  }
  pieces.sectors = countPieces(lanes, sectorBytes);
  pieces.lines = countPieces(lanes, lineBytes);
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

} // namespace ptxray::machine
