#pragma once
// Tracks what happened before for warps, and for single lanes of a warp after they have diverged. An access that is not
// tracked by lane counts as known, so that no ordered accesses are reported.
#include "Machine/Observer.h"
#include "Observe/Clock.h"

namespace ptxray::machine {

/// A component of a clock that only one lane of a warp knows: a count, and the lane.
struct LaneCount {
  static constexpr unsigned bitsOfLane = 5;
  uint32_t count = 0, lane = 0;

  static LaneCount of(uint32_t entry) { return {entry >> bitsOfLane, entry & ((1u << bitsOfLane) - 1)}; }
  uint32_t entry() const { return count << bitsOfLane | lane; }
};

uint32_t entryOf(const Clock &clock, uint32_t entry);
void raiseEntry(Clock &clock, uint32_t entry, uint32_t to);

/// Adds the accesses of the lanes to a clock, and what they had seen when the warp knew `known`.
void publish(const Warp &warp, uint32_t lanes, const Clock &known, Clock &to);
/// Publishes all that the warp knows. Later accesses are not included.
void tell(Warp &warp, uint32_t lanes, Clock &to);
/// Lets the lanes see the contents of a clock.
void learn(Warp &warp, uint32_t lanes, const Clock &what);
void learnEntry(Warp &warp, uint32_t lanes, uint32_t entry, uint32_t to);
/// Recomputes up to which of their releases all lanes of the warp know the others.
void raiseHorizon(Warp &warp);
/// Lets all lanes of the warp see what each of them did and saw.
void meet(Warp &warp);

/// Orders the earlier accesses of lanes before later accesses of threads that acquire at the place. `place` is a number
/// that identifies a barrier object or an address. Relaxed releases and acquires order by the fences before or after
/// them.
void releaseAt(Warp &warp, uint32_t lanes, uint64_t place, bool isRelaxed = false);
void acquireAt(Warp &warp, uint32_t lanes, uint64_t place, bool isRelaxed = false);
/// Orders accesses by a fence of the lanes.
void orderByFence(Warp &warp, uint32_t lanes, const Fence &fence);
/// Orders the reads of lanes that execute an instruction together.
void orderReads(Warp &warp, uint32_t lanes);

} // namespace ptxray::machine
