#pragma once
// A matrix product as one operation that reads the registers of a warp in place.
#include "Operate/Compile.h"

namespace ptxray::machine {

/// Compiles a recipe that is a matrix product. Returns none if an operand is not a whole register of the required size,
/// or if a written register is read again; `evaluated` supports these cases.
std::optional<Compiled> productOf(const Recipe &recipe, llvm::ArrayRef<Place> byNode, RegisterFile &file, Kept &kept);

} // namespace ptxray::machine
