#pragma once
// Counters of each instruction in a launch.
#include "Traffic/Traffic.h"
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace ptxray::machine {

using traffic::AccessKind;

/// Totals over all executions of one instruction. The numbers correspond to those of a profiler on an H100.
struct InstructionCounts {
  uint64_t executed = 0;  // number of executions by warps
  uint64_t threads = 0;   // sum of active threads
  uint64_t threadsOn = 0; // sum of active threads for which the guard is true
  uint64_t partings = 0;  // executions after which lanes diverged
  uint64_t sharedWavefronts = 0, sharedIdeal = 0;
  uint64_t globalSectors = 0, globalIdeal = 0;
  uint64_t globalTags = 0; // 128-byte lines
  uint64_t sharedBytes = 0, globalBytes = 0, localBytes = 0, constBytes = 0;
  uint64_t asyncSharedBytes = 0, asyncGlobalBytes = 0; // transferred through the async proxy
  uint64_t textureBytes = 0;                           // results of texture fetches, and accesses to surfaces
  uint64_t tensorBytes = 0;                            // accesses to tensor memory
  uint64_t bulkBytes = 0;                              // moved by asynchronous bulk copies
  uint64_t collisions = 0; // lanes whose atomic operation has the same address as another lane's
  uint64_t waits = 0;      // executions that had to wait: at a barrier for other warps, or for an incomplete phase
  uint64_t products = 0;   // products of two matrix elements

  InstructionCounts &operator+=(const InstructionCounts &other);
};
/// Counters of one function, over all its executions.
struct FunctionCounts {
  struct Block {
    uint64_t executed = 0, threads = 0;
  };
  std::vector<Block> blocks;                   // indexed by code block; empty if the function was not executed
  std::vector<InstructionCounts> instructions; // instructions of the body, without the counters in `blocks`
  FunctionCounts &operator+=(const FunctionCounts &other);
};
/// The access of an instruction with the most shared-memory wavefronts.
struct WorstAccess {
  AccessKind kind = AccessKind::Load;
  std::array<uint64_t, 32> at{};
  uint32_t mask = 0, bytes = 0, passes = 0;
  /// Keeps the worse of two accesses. If both have the same number of wavefronts, keeps the one with lower addresses,
  /// so that the order does not matter.
  void take(const WorstAccess &other);
  /// Returns a suggestion that avoids its bank conflicts.
  std::string advice() const;
};

} // namespace ptxray::machine
