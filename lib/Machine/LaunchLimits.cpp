#include "Machine/LaunchLimits.h"
#include "llvm/ADT/StringExtras.h"

namespace ptxray::machine {

std::string brokenLimits(const Launch &launch) {
  constexpr std::array<uint64_t, 3> mostThreads = {1024, 1024, 64}, mostBlocks = {0x7fffffff, 65535, 65535};
  constexpr uint64_t mostOfBlock = 1024, mostOfCluster = 16, mostShared = 227 * 1024;
  llvm::SmallVector<std::string> broken;
  const auto limit = [&](uint64_t used, uint64_t most, const char *before, const std::string &after) {
    if (used > most)
      broken.push_back(before + std::to_string(used) + after + ", " + std::to_string(most) + " at most");
  };
  const auto count = [](const std::array<uint32_t, 3> &sizes) {
    const uint64_t plane = uint64_t(sizes[0]) * sizes[1];
    return plane > UINT32_MAX ? plane : plane * sizes[2];
  };
  limit(count(launch.block), mostOfBlock, "", " threads a block");
  for (unsigned axis = 0; axis < 3; ++axis) {
    const std::string along = std::string(" along ") + "xyz"[axis];
    limit(launch.block[axis], mostThreads[axis], "a block of ", along);
    limit(launch.grid[axis], mostBlocks[axis], "a grid of ", along);
  }
  limit(count(launch.cluster), mostOfCluster, "a cluster of ", " blocks");
  for (unsigned axis = 0; axis < 3; ++axis)
    if (launch.cluster[axis] && launch.grid[axis] % launch.cluster[axis])
      broken.push_back("a grid of " + std::to_string(launch.grid[axis]) + " along " + "xyz"[axis] + ", a multiple of " +
                       std::to_string(launch.cluster[axis]) + " expected");
  limit(launch.shared, mostShared, "", " bytes of shared memory a block");
  return llvm::join(broken, "; ");
}

} // namespace ptxray::machine
