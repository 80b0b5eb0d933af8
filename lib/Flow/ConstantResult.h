#pragma once
// The integer functions that instructions compute, on single numbers.
#include "Match/Facts.h"
#include <optional>

namespace ptxray {

/// Returns the result of an instruction's arithmetic with integers or predicates, cut to its type; nothing for all
/// others.
std::optional<uint64_t> constantResult(const Computation &computation, llvm::ArrayRef<uint64_t> sources);

} // namespace ptxray
