#pragma once
// The shape of a launch, shared by all callers of the emulator and of a driver. This folder needs only the C++ standard
// library, because ptxray-run is compiled without LLVM.
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ptxray {

/// The size of a launch.
struct LaunchShape {
  std::array<uint32_t, 3> grid = {1, 1, 1}, block = {1, 1, 1};
  std::array<uint32_t, 3> cluster = {0, 0, 0}; // zeros if the kernel's declaration applies
  uint32_t shared = 0;                         // dynamic shared memory, in bytes
  bool isCooperative = false;

  uint64_t blocks() const { return uint64_t(grid[0]) * grid[1] * grid[2]; }
  uint64_t threadsOfBlock() const { return uint64_t(block[0]) * block[1] * block[2]; }
  uint64_t blocksOfCluster() const { return uint64_t(cluster[0]) * cluster[1] * cluster[2]; }
};

/// Parses a number from 0 to 2^32-1: `7`, `0x10`, `010`.
std::optional<uint32_t> readNumber32(std::string_view text);
/// Parses `X[,Y[,Z]]`; missing numbers are 1. Returns nothing if there are more than three numbers, or if one is 0.
std::optional<std::array<uint32_t, 3>> readExtents(std::string_view text);

} // namespace ptxray
