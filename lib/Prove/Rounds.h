#pragma once
// Expresses the registers of a loop as formulas of the iteration number: counters, shifts, alternations, and bounds for
// all others.
#include "Prove/Walk.h"

namespace ptxray::prove {

/// Replaces the unknown loop values in the model, and records which of them may be uniform.
void solveLoops(Model &model, Walk &walk);
/// Makes loads from memory that is never written functions of their address, and determines which terms are uniform.
void shareValues(Model &model, Walk &walk);

} // namespace ptxray::prove
