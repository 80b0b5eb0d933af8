#pragma once
// The shape of a block says how many threads it has, and how they lie in warps.
#include "Flow/Body.h"
#include <array>
#include <optional>

namespace ptxray {

constexpr unsigned warpSize = 32, warpgroupSize = 128;

/// Holds what the head of a function says of the threads that run together.
struct BlockShape {
  bool isExact = false;     // `.reqntid`
  bool isKnown = false;     // or `.maxntid`
  uint64_t x = 1024, y = 1; // of an exact one
  uint64_t threads = 1024;

  uint64_t z() const { return threads / (x * y); } // of an exact one
  /// %tid of a thread by its number.
  std::array<int64_t, 3> placeOf(uint64_t thread) const {
    return {static_cast<int64_t>(thread % x), static_cast<int64_t>(thread / x % y),
            static_cast<int64_t>(thread / (x * y))};
  }

  /// Its number again; of a block without `.reqntid` only where it has one dimension.
  uint64_t numberOf(const std::array<int64_t, 3> &place) const {
    return static_cast<uint64_t>(place[0]) +
           x * (static_cast<uint64_t>(place[1]) + y * static_cast<uint64_t>(place[2]));
  }

  /// The threads of a warp have neighbouring %tid.x, and nothing else tells them apart.
  bool areWarpsRows() const { return isExact && (x == threads || x % warpSize == 0); }
};

/// Returns the place in `placeOf` of `.x`, `.y` and `.z`; 3: it is none of them.
inline unsigned dimensionOf(llvm::StringRef suffix) {
  return suffix == ".x" ? 0 : suffix == ".y" ? 1 : suffix == ".z" ? 2 : 3;
}

BlockShape blockShapeOf(const Body &body);
/// Returns the three sizes of the block that a kernel is launched with, as far as its head says. Of a head that gives
/// only the most threads, the kernel must not ask for more than one dimension.
std::optional<std::array<uint64_t, 3>> likelyBlock(const Body &body);

} // namespace ptxray
