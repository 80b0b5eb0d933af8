#pragma once
// Tracks happens-before for warps and, after lanes have diverged, for single lanes. An access that is not tracked by
// lane is treated as observed, so that ordered accesses are never reported.
#include "Machine/Observer.h"
#include "Observe/Clock.h"

namespace ptxray::machine {

/// A clock entry that only one lane of a warp knows: a count, and the lane.
struct LaneCount {
  static constexpr unsigned bitsOfLane = 5;
  uint32_t count = 0, lane = 0;

  static LaneCount of(uint32_t entry) { return {entry >> bitsOfLane, entry & ((1u << bitsOfLane) - 1)}; }
  uint32_t entry() const { return count << bitsOfLane | lane; }
};

uint32_t entryOf(const Clock &clock, uint32_t entry);
void raiseEntry(Clock &clock, uint32_t entry, uint32_t to);

/// Adds to a clock the accesses of the lanes, and what the lanes had observed when the warp's clock was `known`.
void publish(const Warp &warp, uint32_t lanes, const Clock &known, Clock &to);
/// Publishes everything that the warp has observed. Later accesses are not included.
void tell(Warp &warp, uint32_t lanes, Clock &to);
/// Makes the lanes observe the contents of a clock.
void learn(Warp &warp, uint32_t lanes, const Clock &what);
void learnEntry(Warp &warp, uint32_t lanes, uint32_t entry, uint32_t to);
/// Recomputes the release up to which all lanes of the warp know all other warps.
void raiseHorizon(Warp &warp);
/// Makes all lanes of the warp observe each other's accesses and observations.
void meet(Warp &warp);

/// Orders the earlier accesses of lanes before later accesses of threads that acquire at `place`, a number that
/// identifies a barrier object or an address. Relaxed releases and acquires order only through fences before or after
/// them.
void releaseAt(Warp &warp, uint32_t lanes, uint64_t place, bool isRelaxed = false);
void acquireAt(Warp &warp, uint32_t lanes, uint64_t place, bool isRelaxed = false);
/// Orders accesses by a fence of the lanes.
void orderByFence(Warp &warp, uint32_t lanes, const Fence &fence);
/// Orders the reads of lanes that execute an instruction together.
void orderReads(Warp &warp, uint32_t lanes);

} // namespace ptxray::machine
