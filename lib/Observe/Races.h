#pragma once
// Races in shared memory: two accesses of different warps, one of them a write, that nothing orders. What orders them
// is known by clocks: each warp counts its releases, and knows up to which count of every other warp all has happened
// before. Lanes of one warp are told apart where nothing has brought them together since (`Order.h`).
#include "Machine/Race.h"
#include "Observe/Clock.h"
#include "Observe/SharedShadow.h"
#include <optional>

namespace ptxray::machine {

struct BlockState;
struct Warp;

/// The lanes of an access: for each element of 1 << `shift` bytes one.
struct AccessLanes {
  const uint8_t *lanes = nullptr; // null: the warp as a whole
  unsigned shift = 0;
  const uint32_t *ofCells = nullptr; // the same for each byte of a cell; null: that is to be found
};
inline constexpr unsigned allOfLane = 63; // a shift by which all bytes are of one lane
/// Bytes of the shared memory of a block that a warp accesses.
struct SharedAccess {
  uint64_t offset, bytes;
  bool isWrite;
  AccessLanes by = {};
  bool isStrong = false;
};
/// The warp reads in the async proxy, which does not see what that warp wrote at that time before a fence for proxies.
bool isUnfenced(uint32_t writer, uint32_t clock, const Warp &warp);
/// Notes the access of a warp to shared memory of the block; gives the earlier access that nothing orders before it, if
/// there is one.
std::optional<Race> noteAccess(Warp &warp, const Instruction &at, BlockState &owner, const SharedAccess &access);
/// Notes an access of a warp, or a write of an operation, to cells of shared memory of the block from an offset on, if
/// nothing races with it by simple rules. `lanes`: of each byte of each cell. Returns whether that is so.
bool isRowNoted(Warp &warp, const Instruction &at, BlockState &owner, uint64_t offset, size_t cells,
                const uint32_t *lanes, bool isWrite);
/// Notes the late reads of the shared memory of the block.
void noteLateReads(BlockState &owner);
/// Forgets them, and writes beside the last ones, if all warps know of them: nothing can race with them any more.
void dropKnown(BlockState &owner);
/// Notes an access of the warp as a whole to all bytes of the runs, if these have all seen the same and nothing races
/// with it. Returns whether it has.
bool areNotedAlike(Warp &warp, const Instruction &at, BlockState &owner, llvm::ArrayRef<ByteRun> runs, bool isWrite);

/// Notes an access to a column of tensor memory; `lanes`: a bit for each 16 of them.
std::optional<Race> noteTensorAccess(Warp &warp, const Instruction &at, BlockState &owner, uint32_t column,
                                     uint8_t lanes, bool isWrite);

} // namespace ptxray::machine
