#pragma once
// Checks a launch against the limits of a GPU and of a kernel.
#include "Launch/LaunchShape.h"
#include <string>
#include <vector>

namespace ptxray {

/// The limits for a launch. The defaults hold for all GPUs.
struct LaunchLimits {
  uint64_t threads = 1024; // per block
  std::array<uint64_t, 3> block = {1024, 1024, 64}, grid = {0x7fffffff, 65535, 65535};
  uint64_t cluster = 16;        // blocks per cluster
  uint64_t shared = 227 * 1024; // bytes per block, including those that the kernel declares
  uint64_t sharedOfKernel = 0;
  uint64_t registers = UINT64_MAX; // per block
  uint64_t registersOfThread = 0;
};

struct BrokenLimit {
  enum Kind : uint8_t { Threads, Block, Grid, Cluster, PartOfCluster, Registers, Shared };
  Kind kind;
  std::string words; // `2048 threads a block, 1024 at most`
};

/// Returns the limits that a launch exceeds, including a grid that is not a multiple of its clusters.
std::vector<BrokenLimit> brokenLimits(const LaunchShape &launch, const LaunchLimits &limits = {});
/// Returns the limits as one line of text; empty if there are none.
std::string inWords(const std::vector<BrokenLimit> &broken);

} // namespace ptxray
