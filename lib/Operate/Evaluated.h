#pragma once
// Any recipe as one operation: the registers are handed to `evaluate`, lane by lane, and its results are written back.
#include "Operate/Compile.h"
#include "Semantics/Evaluate.h"

namespace ptxray::machine {

/// Returns what is written to a register that is wider than its type: signed numbers keep their sign, zeros fill up the
/// rest.
Bits filledUp(Bits bits, const ElementType &type, unsigned width);

/// The memory that it reads and writes, with registers for it, and no operations yet.
Compiled withMemory(const Recipe &recipe, RegisterFile &file);
/// Makes one slow operation, which is right for everything that `evaluate` computes.
Compiled evaluated(const Recipe &recipe, llvm::ArrayRef<Place> byNode, Place carry, RegisterFile &file, Kept &kept);

} // namespace ptxray::machine
