#pragma once
// This says in sentences what an instruction does besides computing a result.
#include "Match/Facts.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <string>
#include <vector>

namespace ptxray {

/// Returns a sentence for each thing that it does to memory, to other threads, to groups and barriers. `textOf` gives
/// the text of an operand node.
std::vector<std::string> effectsOf(const Facts &facts, llvm::function_ref<std::string(unsigned node)> textOf);

} // namespace ptxray
