#pragma once
// Vector clocks of the race detector.
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ptxray::machine {

/// Counts for each warp of the cluster how many of its releases come before. The first entry is the number of warps.
using Clock = std::vector<uint32_t>;
void join(Clock &into, const Clock &other);
/// The entries from this one on say more of one lane of each warp.
constexpr size_t firstLaneEntry(size_t warps) { return 3 * warps + 1; }

/// What some lanes of a warp, but not all, have observed.
struct LaneView {
  uint32_t lanes = 0; // 0: nothing
  Clock clock;
};

} // namespace ptxray::machine
