#pragma once
// The check of a launch against what a GPU, and a kernel on it, allows.
#include "Launch/LaunchShape.h"
#include <string>
#include <vector>

namespace ptxray {

/// The greatest launch that is possible. Without other numbers: on any GPU.
struct LaunchLimits {
  uint64_t threads = 1024; // of a block
  std::array<uint64_t, 3> block = {1024, 1024, 64}, grid = {0x7fffffff, 65535, 65535};
  uint64_t cluster = 16;        // blocks of one
  uint64_t shared = 227 * 1024; // bytes of a block, with those that the kernel declares
  uint64_t sharedOfKernel = 0;
  uint64_t registers = UINT64_MAX; // of a block
  uint64_t registersOfThread = 0;
};

struct BrokenLimit {
  enum Kind : uint8_t { Threads, Block, Grid, Cluster, PartOfCluster, Registers, Shared };
  Kind kind;
  std::string words; // `2048 threads a block, 1024 at most`
};

/// Returns what of a launch is more than is possible, or does not fit its clusters.
std::vector<BrokenLimit> brokenLimits(const LaunchShape &launch, const LaunchLimits &limits = {});
/// Returns them in one line; empty if there are none.
std::string inWords(const std::vector<BrokenLimit> &broken);

} // namespace ptxray
