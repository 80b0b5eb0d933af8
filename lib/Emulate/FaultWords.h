#pragma once
// The fault of a launch, in words.
#include "Machine/Grid.h"

namespace ptxray::machine {

/// Makes a report of the fault that the grid has.
void reportFault(const GridState &grid, Outcome &outcome);

/// Returns the place of a cluster in the grid, by its number.
std::array<uint64_t, 3> clusterAt(const GridState &grid, uint64_t number);

} // namespace ptxray::machine
