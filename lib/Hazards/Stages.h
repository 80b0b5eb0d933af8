#pragma once
// Finds loops that copy for later iterations, after a prologue that copies for the first ones:
//   cp.async A0; commit; cp.async A1; commit;
// round:
//   cp.async.wait_group 1;  read;  cp.async A2; commit;
// Iterations read in the order of the copies, and read as much as one iteration copies. So the first iteration reads
// the oldest copies. The copies of an iteration are read as many iterations later as the prologue has copied for.
// Copies before the first wait that covers them and may be read are not considered further.
#include "Hazards/Hazards.h"

namespace ptxray {

/// A copy that the wait of the loop does not cover in the iteration that reads it.
struct LateStage {
  size_t operation;
  uint32_t wait;
  uint8_t level;       // the level of the copy at the wait
  bool isOfFirstRound; // only a read in every iteration, including the first one, is too early
};

/// Returns the late copies of loops with one wait for groups. Every iteration must pass that wait, and the commits.
std::vector<LateStage> lateStages(HazardContext &context, const InFlight &flight);

} // namespace ptxray
