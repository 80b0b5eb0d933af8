#pragma once
// Counts the shared-memory wavefronts of a warp's access, and its sectors of global memory, as a profiler counts them
// on an H100 (docs/counters.md).
#include <cstdint>

namespace ptxray::traffic {

inline constexpr unsigned warpLanes = 32;

/// The addresses of a warp's lanes. Each lane accesses the same number of bytes: a power of two up to 32, to which
/// addresses are aligned.
struct LaneAddresses {
  const uint64_t *at; // addresses of all lanes
  uint32_t mask;      // participating lanes
  uint32_t bytes;
};

/// Returns the number of lanes in a mask, which is usually full. Not every processor has an instruction for it.
constexpr uint32_t lanesIn(uint32_t mask) {
  return mask == ~0u ? warpLanes : static_cast<uint32_t>(__builtin_popcount(mask));
}

/// The kinds of access that are counted differently.
enum class AccessKind : uint8_t { Load, Store, Atomic, Increment, Copy, Matrix };

struct Wavefronts {
  uint32_t count = 0; // each wavefront transfers at most one word from each of the 32 banks
  uint32_t ideal = 0; // number without bank conflicts

  bool haveConflicts() const { return count > 2 * ideal; }
};
/// Returns the wavefronts of an access. Returns none for a copy that bypasses the L1 cache, which a profiler does not
/// count. The result does not change if all addresses move by a multiple of `alignmentOfPasses` and of the access size.
Wavefronts wavefrontsOf(AccessKind kind, const LaneAddresses &lanes);
inline constexpr uint32_t alignmentOfPasses = 4;

struct Pieces {
  uint8_t sectors = 0; // 32-byte sectors
  uint8_t ideal = 0;   // sectors if the lanes' bytes were contiguous
  uint8_t lines = 0;   // 128-byte lines

  bool areScattered() const { return sectors > 2 * ideal; }
};
/// Returns the sectors and lines of an access. The result does not change if all addresses move by a multiple of
/// `alignmentOfPieces`.
Pieces piecesOf(const LaneAddresses &lanes);
inline constexpr uint32_t alignmentOfPieces = 128;

/// Returns the number of lanes whose address another lane also accesses, minus one per distinct address.
uint32_t collisionsOf(const LaneAddresses &lanes);

} // namespace ptxray::traffic
