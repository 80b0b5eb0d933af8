#pragma once
// Warps know what happened before them, and so do single lanes of a warp where these have parted. An access that is not
// followed lane by lane counts as known, so that nothing is reported that is ordered.
#include "Machine/Observer.h"
#include "Observe/Clock.h"

namespace ptxray::machine {

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
/// Publishes all that the warp knows; what it does from now on is not told.
void tell(Warp &warp, uint32_t lanes, Clock &to);
/// The lanes see what a clock says.
void learn(Warp &warp, uint32_t lanes, const Clock &what);
void learnEntry(Warp &warp, uint32_t lanes, uint32_t entry, uint32_t to);
/// Finds anew up to which of their releases the warp knows of all others.
void raiseHorizon(Warp &warp);
/// All lanes of the warp see what each of them did and saw.
void meet(Warp &warp);

/// Orders what lanes did before what others do that acquire at the place. `place` is a number that is the same for the
/// same barrier object or address. Relaxed releases and acquires order by the fences before or after them.
void releaseAt(Warp &warp, uint32_t lanes, uint64_t place, bool isRelaxed = false);
void acquireAt(Warp &warp, uint32_t lanes, uint64_t place, bool isRelaxed = false);
/// Orders accesses by a fence of the lanes.
void orderByFence(Warp &warp, uint32_t lanes, const Fence &fence);
/// Orders the reads of lanes that execute an instruction together.
void orderReads(Warp &warp, uint32_t lanes);

} // namespace ptxray::machine
