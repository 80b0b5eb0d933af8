#pragma once
// Conditions of a form in words, for someone who has not written a line yet.
#include "Isa/Isa.h"

namespace ptxray {

struct ConditionText {
  std::string manual;     // what the manual asks for; empty: nothing
  bool isOfPtxas = false; // what passes is known to ptxas alone
};

/// `.type` is `.f16` or `.f32`; PTX 8.6 and sm_100 or higher.
ConditionText conditionText(const isa::Form &form, isa::ExprId condition);
/// Whether only ptxas accepts what needs the condition.
bool isOfPtxasAlone(isa::ExprId condition);

/// `.x2`, `.x4`, and, of series of words, the ends: `.m64n8k16 to .m64n256k16 in steps of 8`.
std::vector<std::string> foldedWords(std::vector<std::string> words);

} // namespace ptxray
