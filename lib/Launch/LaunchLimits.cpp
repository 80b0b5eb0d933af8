#include "Launch/LaunchLimits.h"

namespace ptxray {

/// Returns the product of three sizes, or of only two if it already exceeds 2^32.
static uint64_t countIn(const std::array<uint32_t, 3> &sizes) {
  const uint64_t plane = uint64_t(sizes[0]) * sizes[1];
  return plane > UINT32_MAX ? plane : plane * sizes[2];
}

std::vector<BrokenLimit> brokenLimits(const LaunchShape &launch, const LaunchLimits &limits) {
  using enum BrokenLimit::Kind;
  std::vector<BrokenLimit> broken;
  const auto limit = [&](BrokenLimit::Kind kind, uint64_t used, uint64_t max, const char *before,
                         const std::string &after) {
    if (used > max)
      broken.push_back({kind, before + std::to_string(used) + after + ", " + std::to_string(max) + " at most"});
  };
  const uint64_t threads = countIn(launch.block);
  limit(Threads, threads, limits.threads, "", " threads a block");
  for (unsigned axis = 0; axis < 3; ++axis) {
    const std::string along = std::string(" along ") + "xyz"[axis];
    limit(Block, launch.block[axis], limits.block[axis], "a block of ", along);
    limit(Grid, launch.grid[axis], limits.grid[axis], "a grid of ", along);
  }
  limit(Cluster, countIn(launch.cluster), limits.cluster, "a cluster of ", " blocks");
  for (unsigned axis = 0; axis < 3; ++axis)
    if (launch.cluster[axis] && launch.grid[axis] % launch.cluster[axis])
      broken.push_back({PartOfCluster, "a grid of " + std::to_string(launch.grid[axis]) + " along " + "xyz"[axis] +
                                           ", a multiple of " + std::to_string(launch.cluster[axis]) + " expected"});
  limit(Registers, limits.registersOfThread * threads, limits.registers, "", " registers a block");
  limit(Shared, launch.shared + limits.sharedOfKernel, limits.shared, "", " bytes of shared memory a block");
  return broken;
}

std::string inWords(const std::vector<BrokenLimit> &broken) {
  std::string text;
  for (const BrokenLimit &one : broken)
    text += (text.empty() ? "" : "; ") + one.words;
  return text;
}

} // namespace ptxray
