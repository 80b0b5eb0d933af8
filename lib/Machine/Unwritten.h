#pragma once
// Registers and bytes that nothing has written. A byte of shared or local memory remembers whether something was stored
// to it. A register that was never written, or was loaded from such bytes, is followed through instructions whose
// result surely depends on it, until it matters: as an address, where lanes part, or in global memory. What is loaded
// from global memory may be stored as it is: programs copy what is between elements as well.
#include "Machine/Program.h"
#include "Machine/Warp.h"

namespace ptxray::machine {

/// A flag for each byte of a memory says whether it was written; there are none where that is not asked for.
using Written = std::vector<uint8_t>;
inline constexpr uint8_t guardFlag = 2; // of a byte of local memory that no access may touch

void markWritten(Written &written, uint64_t at, uint64_t bytes);
/// Bytes were copied: what nothing has written stays so.
void copyWritten(Written &written, uint64_t from, uint64_t to, uint64_t bytes);
/// The flags of the byte at an address of shared or local memory; null: they are not asked for.
uint8_t *writtenAt(Warp &warp, Space space, uint64_t address, unsigned lane);

/// A frame begins, in which nothing has written the registers.
void setUnwritten(Frame &frame);
/// A load read bytes of which none was written: element `index` of the lanes, of a number in all.
void noteUnwrittenLoad(Warp &warp, const Op &op, size_t index, size_t elements, uint32_t lanes, bool isGlobal);
/// A lane stores what nothing has written, in a register at the slot, to global memory by a generic address.
void noteUnwrittenStore(Warp &warp, const Op &op, Slot slot, unsigned lane);
/// A load read what another warp wrote, and nothing orders the two: that is reported where what it read matters.
void noteDoubtfulLoad(Warp &warp, const Op &op, uint32_t lanes, const DoubtfulLoad &load);
/// The lanes whose register at the slot holds what nothing has written.
inline uint32_t unwrittenLanes(const Frame &frame, Slot slot) {
  if (!(frame.unwrittenFilter & filterOf(slot)))
    return 0;
  const auto found = frame.unwritten.find(slot);
  return found == frame.unwritten.end() ? 0 : found->second.lanes;
}

/// Notes, before the operations of an instruction, that its results depend on what it reads.
void followInstruction(Warp &warp, uint32_t instruction, uint32_t lanes);
/// Lanes part by a predicate.
void followBranch(Warp &warp, uint32_t instruction, Slot guard, uint32_t lanes);

} // namespace ptxray::machine
