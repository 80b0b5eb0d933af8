#pragma once
// Describes the fault of a launch as text.
#include "Machine/Grid.h"

namespace ptxray::machine {

/// Reports the fault of the grid.
void reportFault(const GridState &grid, Outcome &outcome);

/// Returns the coordinates of a cluster in the grid from its number.
std::array<uint64_t, 3> clusterAt(const GridState &grid, uint64_t number);

} // namespace ptxray::machine
