#pragma once
// Describes the effects of an instruction other than its result, in sentences.
#include "Match/Facts.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <string>
#include <vector>

namespace ptxray {

/// Returns one sentence for each effect on memory, other threads, groups and barriers. `textOf` returns the text of an
/// operand node.
std::vector<std::string> effectsOf(const Facts &facts, llvm::function_ref<std::string(unsigned node)> textOf);

} // namespace ptxray
