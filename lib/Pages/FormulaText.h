#pragma once
// This writes what instructions compute as pseudocode.
#include "Match/FormMatch.h"
#include <string>
#include <vector>

namespace ptxray {

/// `d = a * b + c`, `p = .BoolOp(a .CmpOp b, c)`; of an approximation how near it is.
/// With `words`, what is written in the slots stands in their places.
std::string formulaText(const isa::Form &form, const isa::Formula &formula, const FormMatch *words = nullptr);
/// Explains the functions of the formula: `matrix-product: the matrix product ...`.
std::vector<std::string> functionsOf(const isa::Formula &formula);

} // namespace ptxray
