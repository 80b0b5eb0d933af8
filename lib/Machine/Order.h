#pragma once
// Warps know what happened before them, and so do single lanes of a warp where these have parted. An access that is not
// followed lane by lane counts as known, so that nothing is reported that is ordered.
#include "Machine/Races.h"
#include "Operate/Op.h"

namespace ptxray::machine {

/// Some lanes of a warp have seen this and the others have not.
struct LaneView {
  uint32_t lanes = 0; // 0: nothing
  Clock clock;
};

/// A clock of which the lane of a warp knows more of its own: a count, and the lane.
struct LaneCount {
  static constexpr unsigned bitsOfLane = 5;
  uint32_t count = 0, lane = 0;

  static LaneCount of(uint32_t entry) { return {entry >> bitsOfLane, entry & ((1u << bitsOfLane) - 1)}; }
  uint32_t entry() const { return count << bitsOfLane | lane; }
};

uint32_t entryOf(const Clock &clock, uint32_t entry);
void raiseEntry(Clock &clock, uint32_t entry, uint32_t to);

/// The clock gets what the lanes did, and what they had seen when the warp knew `known`.
void publish(const Warp &warp, uint32_t lanes, const Clock &known, Clock &to);
/// The same for all that the warp knows; what it does from now on is not told.
void tell(Warp &warp, uint32_t lanes, Clock &to);
/// The lanes see what a clock says.
void learn(Warp &warp, uint32_t lanes, const Clock &what);
void learnEntry(Warp &warp, uint32_t lanes, uint32_t entry, uint32_t to);
/// Finds anew up to which of their releases the warp knows of all others.
void raiseHorizon(Warp &warp);
/// All lanes of the warp see what each of them did and saw.
void meet(Warp &warp);

/// Threads order their accesses through a place: a barrier object, an atomic operation, a strong access. `place` is any
/// number that is the same for the same place. Relaxed ones order by the fences before or after them.
void releaseAt(Warp &warp, uint32_t lanes, uint64_t place, bool isRelaxed = false);
void acquireAt(Warp &warp, uint32_t lanes, uint64_t place, bool isRelaxed = false);

/// Payload of a fence for memory.
struct ThreadFence {
  bool releases = false, acquires = false;
  bool isSequential = false; // all of these have one order
  bool isOfBlock = false;    // it orders for the threads of its block alone
};
void fenceThreads(char *registers, const Op &op, uint32_t mask, Warp &warp);
/// The lanes exchange what they have read, so that they have read it.
void meetReads(char *registers, const Op &op, uint32_t mask, Warp &warp);
/// A barrier of the lanes of a warp.
void meetLanes(char *registers, const Op &op, uint32_t mask, Warp &warp);

} // namespace ptxray::machine
