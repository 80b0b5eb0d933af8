#pragma once
// Detects races in shared memory: two accesses of different warps, at least one of them a write, that nothing orders.
// Clocks track the order: each warp counts its releases, and knows for every other warp up to which count everything
// happened before. Lanes of one warp are distinguished if they were not joined since (`Order.h`).
#include "Machine/Race.h"
#include "Observe/Clock.h"
#include "Observe/SharedShadow.h"
#include <optional>

namespace ptxray::machine {

struct BlockState;
struct Warp;

/// The lanes of an access, one for each element of 1 << `shift` bytes.
struct AccessLanes {
  const uint8_t *lanes = nullptr; // null for the whole warp
  unsigned shift = 0;
  const uint32_t *ofCells = nullptr; // lanes of each byte of a cell; null if not computed yet
};
inline constexpr unsigned allOfLane = 63; // a shift with which all bytes belong to one lane
/// Bytes in the shared memory of a block that a warp accesses.
struct SharedAccess {
  uint64_t offset, bytes;
  bool isWrite;
  AccessLanes by = {};
  bool isStrong = false;
};
/// Returns whether the warp reads through the async proxy, which does not see earlier writes of the given warp before a
/// fence for proxies.
bool isUnfenced(uint32_t writer, uint32_t clock, const Warp &warp);
/// Records the access of a warp to shared memory of the block. Returns the earlier access that nothing orders before
/// it, if there is one.
std::optional<Race> noteAccess(Warp &warp, const Instruction &at, BlockState &owner, const SharedAccess &access);
/// Records an access of a warp, or a write of an operation, if simple rules show that nothing races with it. The access
/// covers cells of shared memory of the block from an offset on. `lanes` holds the lanes of each byte of each cell.
/// Returns whether it was recorded.
bool isRowNoted(Warp &warp, const Instruction &at, BlockState &owner, uint64_t offset, size_t cells,
                const uint32_t *lanes, bool isWrite);
/// Records the late reads of the shared memory of the block.
void noteLateReads(BlockState &owner);
/// Forgets late reads, and writes in addition to the last ones, once all warps know them: nothing can race with them
/// any more.
void dropKnown(BlockState &owner);
/// Records an access of a whole warp to all bytes of the runs, if these have the same history and nothing races with
/// it. Returns whether it was recorded.
bool areNotedAlike(Warp &warp, const Instruction &at, BlockState &owner, llvm::ArrayRef<ByteRun> runs, bool isWrite);

/// Records an access to a column of tensor memory. Each bit of `lanes` represents 16 lanes.
std::optional<Race> noteTensorAccess(Warp &warp, const Instruction &at, BlockState &owner, uint32_t column,
                                     uint8_t lanes, bool isWrite);

} // namespace ptxray::machine
