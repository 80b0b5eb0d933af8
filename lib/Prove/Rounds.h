#pragma once
// Formulas of the registers of a loop over the number of the round: counters, shifts, alternations,
// and bounds of what is left.
#include "Prove/Walk.h"

namespace ptxray::prove {

/// Replaces the unknown values of loops in the model, and notes what may be the same in all threads.
void solveLoops(Model &model, Walk &walk);
/// Gives loads of memory that nothing writes a value by their address, and finds what all threads share.
void shareValues(Model &model, Walk &walk);

} // namespace ptxray::prove
