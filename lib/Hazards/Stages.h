#pragma once
// Loops that copy for rounds to come, some of which were copied for before the loop:
//   cp.async A0; commit; cp.async A1; commit;
// round:
//   cp.async.wait_group 1;  read;  cp.async A2; commit;
// Rounds read in the order in which was copied, as much as a round copies. So the first reads the oldest copies, and
// what a round copies is read as many rounds later as were copied for before. What a round's number of copies was
// waited for, and may be read, before the first of these waits counts no more.
#include "Hazards/Hazards.h"

namespace ptxray {

/// A copy that the loop's wait does not cover in the round that reads it.
struct LateStage {
  size_t operation;
  uint32_t wait;
  uint8_t level;       // the level of the copy at the wait
  bool isOfFirstRound; // whether only a read in every round, the first one included, is too early
};

/// Reports loops with one wait for groups, which every round passes, as it does what commits.
std::vector<LateStage> lateStages(HazardContext &context, const InFlight &flight);

} // namespace ptxray
