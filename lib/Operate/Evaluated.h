#pragma once
// Runs any recipe as one operation: copies the registers of each lane to `evaluate`, and copies the results back.
#include "Operate/Compile.h"
#include "Semantics/Evaluate.h"

namespace ptxray::machine {

/// Returns the bits for a register that is wider than the type: sign-extended if the type is signed, otherwise
/// zero-extended.
Bits filledUp(Bits bits, const ElementType &type, unsigned width);

/// Returns the memory that the recipe reads and writes, with registers for it, and without operations.
Compiled withMemory(const Recipe &recipe, RegisterFile &file);
/// Compiles a recipe into one slow operation, which supports everything that `evaluate` computes.
Compiled evaluated(const Recipe &recipe, llvm::ArrayRef<Place> byNode, Place carry, RegisterFile &file, Kept &kept);

} // namespace ptxray::machine
