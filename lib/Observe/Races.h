#pragma once
// Detects races in shared memory: two unordered accesses of different warps, at least one of them a write. Vector
// clocks track the order: each warp counts its releases, and stores for every other warp the count up to which all its
// accesses happened before. Lanes of one warp are distinguished until they synchronise (`Order.h`).
#include "Machine/Race.h"
#include "Observe/Clock.h"
#include "Observe/SharedShadow.h"
#include <optional>

namespace ptxray::machine {

struct BlockState;
struct Warp;

/// The lanes of an access, one for each 1 << `shift` bytes.
struct AccessLanes {
  const uint8_t *lanes = nullptr; // null if the whole warp accesses the bytes
  unsigned shift = 0;
  const uint32_t *ofCells = nullptr; // lanes of each byte of a cell; null if not computed yet
};
inline constexpr unsigned allOfLane = 63; // a shift that assigns all bytes to one lane
/// Bytes in the shared memory of a block that a warp accesses.
struct SharedAccess {
  uint64_t offset, bytes;
  bool isWrite;
  AccessLanes by = {};
  bool isStrong = false;
};
/// Returns whether the warp reads through the async proxy, which does not observe earlier writes of `writer` unless a
/// proxy fence is in between.
bool isUnfenced(uint32_t writer, uint32_t clock, const Warp &warp);
/// Records the access of a warp to shared memory of the block. Returns an earlier access that is not ordered before it,
/// if there is one.
std::optional<Race> noteAccess(Warp &warp, const Instruction &at, BlockState &owner, const SharedAccess &access);
/// Records an access of a warp, or a write of an operation, if simple rules show that it does not race. The access
/// covers cells of the block's shared memory, starting at an offset. `lanes` contains the lanes of each byte of each
/// cell. Returns whether it was recorded.
bool isRowNoted(Warp &warp, const Instruction &at, BlockState &owner, uint64_t offset, size_t cells,
                const uint32_t *lanes, bool isWrite);
/// Records delayed reads of the shared memory of the block.
void noteLateReads(BlockState &owner);
/// Discards delayed reads, and older writes that all warps have observed, because later accesses cannot race with them.
void dropKnown(BlockState &owner);
/// Records an access of a whole warp to all bytes of the runs, if these have the same history and the access does not
/// race. Returns whether it was recorded.
bool areNotedAlike(Warp &warp, const Instruction &at, BlockState &owner, llvm::ArrayRef<ByteRun> runs, bool isWrite);

/// Records an access to a column of tensor memory. Each bit of `lanes` represents 16 lanes.
std::optional<Race> noteTensorAccess(Warp &warp, const Instruction &at, BlockState &owner, uint32_t column,
                                     uint8_t lanes, bool isWrite);

} // namespace ptxray::machine
