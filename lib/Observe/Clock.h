#pragma once
// Vector clocks of the race detector.
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ptxray::machine {

/// For each warp of the cluster, the number of its releases that happened before. Entry 0 is the number of warps.
using Clock = std::vector<uint32_t>;
void join(Clock &into, const Clock &other);
/// Returns the index of the first entry that describes a single lane of each warp.
constexpr size_t firstLaneEntry(size_t warps) { return 3 * warps + 1; }

/// The events that some, but not all, lanes of a warp have observed.
struct LaneView {
  uint32_t lanes = 0; // 0 if none have
  Clock clock;
};

} // namespace ptxray::machine
