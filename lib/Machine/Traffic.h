#pragma once
// These functions count the passes of a warp's access through shared memory, and the pieces of global memory that it
// touches, as a profiler counts them for the instruction of an H100 (docs/counters.md).
#include "Operate/Op.h"
#include <cstdint>

namespace ptxray::machine {

/// The lanes of a warp that access as many bytes each.
struct LaneAddresses {
  const uint64_t *at; // of 32 lanes
  uint32_t mask;      // the lanes that take part
  uint32_t bytes;
};

struct Wavefronts {
  uint32_t count = 0; // each pass brings at most one word of each of the 32 banks
  uint32_t ideal = 0; // if no two lanes were in each other's way
};
/// Lanes that name the same word get it together, or one after the other.
enum class SameWord : uint8_t {
  Shared, // all lanes get it at once
  Apart,  // each lane has it for itself: atomic operations, writes of copies
};
Wavefronts wavefrontsOfLoad(const LaneAddresses &lanes);
Wavefronts wavefrontsOfStore(const LaneAddresses &lanes, SameWord same = SameWord::Shared);

struct Pieces {
  uint32_t sectors = 0; // of 32 bytes
  uint32_t ideal = 0;   // sectors, if the bytes of the lanes followed each other
  uint32_t lines = 0;   // of 128 bytes
};
Pieces piecesOf(const LaneAddresses &lanes);

/// Lanes whose address another lane of the warp has, too, but for one of them.
uint32_t collisionsOf(const LaneAddresses &lanes);

} // namespace ptxray::machine
