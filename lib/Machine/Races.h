#pragma once
// Races in shared memory: two accesses of different warps, one of them a write, that nothing orders. What orders them
// is known by clocks: each warp counts its releases, and knows up to which count of every other warp all has happened
// before. Lanes of one warp are told apart where nothing has brought them together since (`Order.h`).
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

/// Counts for each warp of the cluster how many of its releases come before. The first entry is the number of warps.
using Clock = std::vector<uint32_t>;
void join(Clock &into, const Clock &other);
/// The entries from this one on say more of one lane of each warp.
constexpr size_t firstLaneEntry(size_t warps) { return 3 * warps + 1; }

/// Lanes that are not told apart: the warp as a whole, or several of them.
inline constexpr uint8_t wholeWarp = 0x40, manyLanes = 0x20;
inline constexpr uint32_t bytesOfCell = 4;
/// The same for each byte of a cell.
inline constexpr uint32_t byWholeWarp = wholeWarp * 0x01010101u, manyOfEach = manyLanes * 0x01010101u;

/// An access of a warp.
struct PastAccess {
  uint32_t warp = 0;            // its number in the cluster, from 1 on, or that of another agent; 0: none
  uint32_t clock = 0;           // its own at that time
  uint32_t lanes = byWholeWarp; // of each byte, in 8 bits
  uint16_t turn = 0;            // the low bits of a number of the instruction that was executed
  uint8_t bytes = 0;            // a bit for each of the four
  bool isStrong = false;        // it does not race with others that are
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
  bool isOfWarp = false;                // both are of lanes of one warp
  bool matters = true;                  // else only if the value that was read is used
  std::optional<uint32_t> cluster = {}; // the earlier one was of this cluster
};
/// A load read what another warp wrote, and nothing orders the two.
struct DoubtfulLoad {
  Race race;
  uint64_t address;
};
/// The lanes of an access: for each element of 1 << `shift` bytes one.
struct AccessLanes {
  const uint8_t *lanes = nullptr; // null: the warp as a whole
  unsigned shift = 0;
};
/// Bytes of the shared memory of a block that a warp accesses.
struct SharedAccess {
  uint64_t offset, bytes;
  bool isWrite;
  AccessLanes by = {};
  bool isStrong = false;
};
/// Notes the access of a warp to shared memory of the block; gives the earlier access that nothing orders before it.
Race noteAccess(Warp &warp, const Instruction &at, BlockState &owner, const SharedAccess &access);

/// The same for a column of tensor memory; `lanes`: a bit for each 16 of them.
Race noteTensorAccess(Warp &warp, const Instruction &at, BlockState &owner, uint32_t column, uint8_t lanes,
                      bool isWrite);

} // namespace ptxray::machine
