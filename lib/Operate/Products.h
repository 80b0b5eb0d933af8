#pragma once
// A product of matrices as one operation that reads registers of a warp where they are.
#include "Operate/Compile.h"

namespace ptxray::machine {

/// Makes the operation of a recipe that is such a product. Returns none if the registers are not whole ones of the size
/// that it needs, or if one that has been written is read again: `evaluated` is right for these.
std::optional<Compiled> productOf(const Recipe &recipe, llvm::ArrayRef<Place> byNode, RegisterFile &file, Kept &kept);

} // namespace ptxray::machine
