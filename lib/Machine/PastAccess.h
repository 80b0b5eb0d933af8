#pragma once
// Accesses of warps to memory, as far as they are remembered to find races.
#include <cstdint>

namespace ptxray {
struct Instruction;
}

namespace ptxray::machine {

/// Lanes that are not told apart: the warp as a whole, or several of them.
inline constexpr uint8_t wholeWarp = 0x40, manyLanes = 0x20;
inline constexpr uint32_t bytesOfCell = 4;
/// The same for each byte of a cell.
inline constexpr uint32_t byWholeWarp = wholeWarp * 0x01010101u, manyOfEach = manyLanes * 0x01010101u;

/// Bytes of a memory, by offsets.
struct ByteRun {
  uint32_t begin, end;
};

/// An access of a warp.
struct PastAccess {
  uint32_t warp = 0;             // its number in the cluster, from 1 on, or that of another agent; 0: none
  uint32_t clock = 0;            // its own at that time
  uint32_t lanes = byWholeWarp;  // of each byte, in 8 bits
  uint16_t turn = 0;             // the low bits of a number of the instruction that was executed
  uint8_t bytes = 0;             // a bit for each of the four
  bool isStrong : 1 = false;     // it does not race with others that are
  bool isAllocation : 1 = false; // it wrote where tensor memory is
  const Instruction *at = nullptr;
};
/// Reads of several agents at the same count of their own.
struct ReadGroup {
  uint64_t warps = 0; // a bit for each, by `Agents::readerOf`; from 64 on none: it is alone in its group
  PastAccess last;    // the last of these reads; its bytes are those of all
};
/// Holds what was last done to four bytes.
struct Cell {
  PastAccess write;
  ReadGroup reads;
  bool hasMoreReads = false;  // there are more reads, which lie elsewhere
  bool hasMoreWrites = false; // and more writes, each of bytes that no later one wrote
};

} // namespace ptxray::machine
