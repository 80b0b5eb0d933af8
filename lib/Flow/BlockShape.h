#pragma once
// The number of threads in a block, and their arrangement in warps.
#include "Flow/Body.h"
#include <array>
#include <optional>

namespace ptxray {

constexpr unsigned warpSize = 32, warpgroupSize = 128;

/// The block size according to the head of a function.
struct BlockShape {
  bool isExact = false;     // `.reqntid`
  bool isKnown = false;     // `.reqntid` or `.maxntid`
  uint64_t x = 1024, y = 1; // valid if `isExact`
  uint64_t threads = 1024;

  uint64_t z() const { return threads / (x * y); } // Returns the z size; valid if `isExact`.
  /// Returns %tid of the thread with this number.
  std::array<int64_t, 3> placeOf(uint64_t thread) const {
    return {static_cast<int64_t>(thread % x), static_cast<int64_t>(thread / x % y),
            static_cast<int64_t>(thread / (x * y))};
  }

  /// Returns the linear number of the thread with this %tid. Without `.reqntid`, blocks must be one-dimensional.
  uint64_t numberOf(const std::array<int64_t, 3> &place) const {
    return static_cast<uint64_t>(place[0]) +
           x * (static_cast<uint64_t>(place[1]) + y * static_cast<uint64_t>(place[2]));
  }

  /// Returns whether the threads of a warp differ only in %tid.x, with consecutive values.
  bool areWarpsRows() const { return isExact && (x == threads || x % warpSize == 0); }
};

/// Returns the index in `placeOf` of `.x`, `.y` or `.z`; 3 for other suffixes.
inline unsigned dimensionOf(llvm::StringRef suffix) {
  return suffix == ".x" ? 0 : suffix == ".y" ? 1 : suffix == ".z" ? 2 : 3;
}

BlockShape blockShapeOf(const Body &body);
/// Returns whether `%tid.x` is the only thread number that the function uses.
bool hasOneDimension(const Body &body);
/// Returns the likely block size of a kernel, according to its head. If the head specifies only a maximum, the kernel
/// must not use more than one dimension.
std::optional<std::array<uint64_t, 3>> likelyBlock(const Body &body);

} // namespace ptxray
