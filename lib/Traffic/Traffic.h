#pragma once
// These functions count the passes of a warp's access through shared memory, and the pieces of global memory that it
// touches, as a profiler counts them for the instruction of an H100 (docs/counters.md).
#include <cstdint>

namespace ptxray::traffic {

inline constexpr unsigned warpLanes = 32;

/// The lanes of a warp that access as many bytes each: a power of two up to 32, which their addresses are multiples of.
struct LaneAddresses {
  const uint64_t *at; // of all lanes
  uint32_t mask;      // the lanes that take part
  uint32_t bytes;
};

/// Returns the number of lanes in a mask, mostly all of them. Not every processor counts bits.
constexpr uint32_t lanesIn(uint32_t mask) {
  return mask == ~0u ? warpLanes : static_cast<uint32_t>(__builtin_popcount(mask));
}

/// The kinds of access that are counted in different ways.
enum class AccessKind : uint8_t { Load, Store, Atomic, Increment, Copy, Matrix };

struct Wavefronts {
  uint32_t count = 0; // each pass brings at most one word of each of the 32 banks
  uint32_t ideal = 0; // if no two lanes were in each other's way

  bool haveConflicts() const { return count > 2 * ideal; }
};
/// Returns the passes of an access; none of a copy that goes past the first level of the cache, and is not counted
/// there. They are the same wherever the first lane is, if it is moved by a multiple of `alignmentOfPasses` and of the
/// bytes.
Wavefronts wavefrontsOf(AccessKind kind, const LaneAddresses &lanes);
inline constexpr uint32_t alignmentOfPasses = 4;

struct Pieces {
  uint8_t sectors = 0; // of 32 bytes
  uint8_t ideal = 0;   // sectors, if the bytes of the lanes followed each other
  uint8_t lines = 0;   // of 128 bytes

  bool areScattered() const { return sectors > 2 * ideal; }
};
/// Returns the pieces of an access. They are as many if the first lane is moved by a multiple of `alignmentOfPieces`.
Pieces piecesOf(const LaneAddresses &lanes);
inline constexpr uint32_t alignmentOfPieces = 128;

/// Lanes whose address another lane of the warp has, too, but for one of them.
uint32_t collisionsOf(const LaneAddresses &lanes);

} // namespace ptxray::traffic
