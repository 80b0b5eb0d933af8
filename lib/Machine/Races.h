#pragma once
// Races in shared memory: two accesses of different warps, one of them a write, that nothing orders. What orders them
// is known by clocks: each warp counts its releases, and knows up to which count of every other warp all has happened
// before. Lanes of one warp are taken for one agent.
#include "Diagnostics/Diagnostic.h"
#include "Parse/Ast.h"
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ptxray::machine {

struct BlockState;
struct Warp;

/// For each warp of the cluster, how many of its releases are before.
using Clock = std::vector<uint32_t>;
void join(Clock &into, const Clock &other);

/// An access of a warp.
struct PastAccess {
  uint32_t warp = 0;  // its number in the cluster, from 1 on, or that of another agent; 0: none
  uint32_t clock = 0; // its own at that time
  uint8_t bytes = 0;  // a bit for each of the four
  const Instruction *at = nullptr;
};
/// Reads of several warps at the same count of their releases.
struct ReadGroup {
  uint64_t warps = 0; // a bit for each; of a warp from 64 on none: it is alone in its group
  PastAccess last;    // the last of these reads; its bytes are those of all
};
/// What was last done to four bytes.
struct Cell {
  PastAccess write;
  ReadGroup reads;
  bool hasMoreReads = false; // which lie elsewhere
};
struct SharedShadow {
  std::vector<Cell> cells;
  std::map<size_t, std::vector<ReadGroup>> moreReads; // the earlier groups of each cell
};

/// A conflict with an earlier access.
struct Race {
  PastAccess earlier;
  bool isWrite = false;                 // the earlier one
  bool isTensor = false;                // in tensor memory
  bool isUnfenced = false;              // it is ordered, but another proxy does not see it
  std::optional<DiagId> rule = {};      // of asynchronous operations
  std::string registerName = {};        // that is used too early
  const Instruction *wait = nullptr;    // that waits for something else
  bool isGlobal = false;                // in global memory, not in shared
  std::optional<uint32_t> cluster = {}; // the earlier one was of this cluster
};
/// Notes the access of a warp to shared memory of the block; gives the earlier access that nothing orders before it.
Race noteAccess(Warp &warp, const Instruction &at, BlockState &owner, uint64_t offset, uint64_t bytes, bool isWrite);

/// The same for a column of tensor memory; `lanes`: a bit for each 16 of them.
Race noteTensorAccess(Warp &warp, const Instruction &at, BlockState &owner, uint32_t column, uint8_t lanes,
                      bool isWrite);

/// What threads do through a place that orders: a barrier object, an atomic operation, a strong access. `place` is any
/// number that is the same for the same place.
void releaseAt(Warp &warp, uint64_t place);
void acquireAt(Warp &warp, uint64_t place);

} // namespace ptxray::machine
