#pragma once
// Finds loops that issue copies for later iterations, after a prologue that issues copies for the first iterations:
//   cp.async A0; commit; cp.async A1; commit;
// round:
//   cp.async.wait_group 1;  read;  cp.async A2; commit;
// Iterations read the copies in order, and each iteration reads the amount that one iteration copies. The first
// iteration therefore reads the oldest copies. The copies of an iteration are read N iterations later, where N is the
// number of iterations that the prologue has copied for. Copies that may be read before the loop are not considered
// after the first wait that covers them.
#include "Hazards/Hazards.h"

namespace ptxray {

/// A copy that the wait of the loop does not cover in the iteration that reads the copy.
struct LateStage {
  size_t operation;
  uint32_t wait;
  uint8_t level;       // the level of the copy at the wait
  bool isOfFirstRound; // the read is too early only if every iteration reads, including the first
};

/// Returns the late copies of loops with one wait for groups. Every iteration must execute that wait and the commits.
std::vector<LateStage> lateStages(HazardContext &context, const InFlight &flight);

} // namespace ptxray
