#pragma once
// Conditions of a form in words, for readers who have not written a line yet.
#include "Isa/Isa.h"

namespace ptxray {

struct ConditionText {
  std::string manual;     // what the manual asks for; empty: nothing
  bool isOfPtxas = false; // what passes is known to ptxas alone
};

/// Examples: "`.type` is `.f16` or `.f32`", "PTX 8.6 and sm_100 or higher".
ConditionText conditionText(const isa::Form &form, isa::ExprId condition);
/// Returns whether a text that needs the condition is accepted by ptxas alone.
bool isOfPtxasAlone(isa::ExprId condition);

/// Lists words, and series of words by their ends: `.x2`, `.x4`, `.m64n8k16 to .m64n256k16 in steps of 8`.
std::vector<std::string> foldedWords(std::vector<std::string> words);

} // namespace ptxray
