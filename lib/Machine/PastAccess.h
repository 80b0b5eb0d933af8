#pragma once
// Accesses of warps to memory, as race detection records them.
#include <cstdint>

namespace ptxray {
struct Instruction;
}

namespace ptxray::machine {

/// Encodings for lanes that are not distinguished: the whole warp, or several lanes.
inline constexpr uint8_t wholeWarp = 0x40, manyLanes = 0x20;
inline constexpr uint32_t bytesOfCell = 4;
/// These encodings, repeated for each byte of a cell.
inline constexpr uint32_t byWholeWarp = wholeWarp * 0x01010101u, manyOfEach = manyLanes * 0x01010101u;

/// A range of byte offsets in a memory.
struct ByteRun {
  uint32_t begin, end;
};

/// An access of a warp.
struct PastAccess {
  uint32_t warp = 0;  // number of the warp in the cluster, from 1, or of another agent; 0 if there is no access
  uint32_t clock = 0; // clock of the agent at the time of the access
  uint32_t lanes = byWholeWarp;  // 8 bits for each byte
  uint16_t turn = 0;             // low bits of the number of executed instructions
  uint8_t bytes = 0;             // bit mask of accessed bytes
  bool isStrong : 1 = false;     // does not race with other strong accesses
  bool isAllocation : 1 = false; // wrote the address of allocated tensor memory
  const Instruction *at = nullptr;
};
/// Reads by several agents with equal clocks.
struct ReadGroup {
  uint64_t warps = 0; // bit mask, indexed by `Agents::readerOf`; 0 for a single agent whose index is above 63
  PastAccess last;    // the last of these reads; its bytes apply to all of them
};
/// The last accesses to four bytes of memory.
struct Cell {
  PastAccess write;
  ReadGroup reads;
  bool hasMoreReads = false;  // further reads are stored elsewhere
  bool hasMoreWrites = false; // further writes are stored elsewhere, for bytes that later writes do not cover
};

} // namespace ptxray::machine
