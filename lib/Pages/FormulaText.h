#pragma once
// What instructions compute, as pseudocode.
#include "Isa/Isa.h"
#include <string>

namespace ptxray {

/// `d = a * b + c`, `p = .BoolOp(a .CmpOp b, c)`; of an approximation how near it is.
std::string formulaText(const isa::Form &form, const isa::Formula &formula);

} // namespace ptxray
