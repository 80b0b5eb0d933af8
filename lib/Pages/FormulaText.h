#pragma once
// Writes the computation of an instruction as pseudocode.
#include "Match/FormMatch.h"
#include <string>
#include <vector>

namespace ptxray {

/// Returns pseudocode such as `d = a * b + c` or `p = .BoolOp(a .CmpOp b, c)`; for an approximation, includes its error
/// bound. If `words` is set, the written words replace the slots.
std::string formulaText(const isa::Form &form, const isa::Formula &formula, const FormMatch *words = nullptr);
/// Explains the functions in the formula: `matrix-product: the matrix product ...`.
std::vector<std::string> functionsOf(const isa::Formula &formula);

} // namespace ptxray
