#pragma once
// Describes conditions of forms for readers who want to write an instruction.
#include "Isa/Isa.h"

namespace ptxray {

struct ConditionText {
  std::string manual;     // required by the manual; empty if the manual requires nothing
  bool isOfPtxas = false; // only the behaviour of ptxas shows what is accepted
};

/// Returns text such as "`.type` is `.f16` or `.f32`", "PTX 8.6 and sm_100 or higher".
ConditionText conditionText(const isa::Form &form, isa::ExprId condition);
/// Returns whether only ptxas, and not the manual, permits a form with this condition.
bool isOfPtxasAlone(isa::ExprId condition);

/// Lists words; abbreviates series to their ends: `.x2`, `.x4`, `.m64n8k16 to .m64n256k16 in steps of 8`.
std::vector<std::string> foldedWords(std::vector<std::string> words);

} // namespace ptxray
