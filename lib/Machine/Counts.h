#pragma once
// The numbers that a launch counts for each instruction.
#include "Traffic/Traffic.h"
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace ptxray::machine {

using traffic::AccessKind;

/// All executions of one instruction. The numbers are those that a profiler of an H100 shows for it.
struct InstructionCounts {
  uint64_t executed = 0;  // how often warps executed it
  uint64_t threads = 0;   // the threads that were there
  uint64_t threadsOn = 0; // those of them that the guard allowed
  uint64_t partings = 0;  // executions after which lanes went different ways
  uint64_t sharedWavefronts = 0, sharedIdeal = 0;
  uint64_t globalSectors = 0, globalIdeal = 0;
  uint64_t globalTags = 0; // lines of 128 bytes
  uint64_t sharedBytes = 0, globalBytes = 0, localBytes = 0, constBytes = 0;
  uint64_t asyncSharedBytes = 0, asyncGlobalBytes = 0; // by the async proxy
  uint64_t textureBytes = 0;                           // of what fetches gave, and of accesses to surfaces
  uint64_t tensorBytes = 0;                            // of tensor memory
  uint64_t bulkBytes = 0;                              // that asynchronous copies in bulk moved
  uint64_t collisions = 0;                             // lanes whose atomic operation has the address of another lane's
  uint64_t waits = 0;    // warps that came to a barrier before all others, or asked too early for a phase
  uint64_t products = 0; // products of two elements of matrices

  InstructionCounts &operator+=(const InstructionCounts &other);
};
/// All executions of one function.
struct FunctionCounts {
  struct Block {
    uint64_t executed = 0, threads = 0;
  };
  std::vector<Block> blocks;                   // of code; empty: it was not executed
  std::vector<InstructionCounts> instructions; // of its body, but for what `blocks` has
  FunctionCounts &operator+=(const FunctionCounts &other);
};
/// The access of an instruction that took more passes through shared memory than the others.
struct WorstAccess {
  AccessKind kind = AccessKind::Load;
  std::array<uint64_t, 32> at{};
  uint32_t mask = 0, bytes = 0, passes = 0;
  /// Keeps the worse one; if both took as many passes, the one with lower addresses, in whatever order they come.
  void take(const WorstAccess &other);
  /// Says what would end its conflicts.
  std::string advice() const;
};

} // namespace ptxray::machine
