#pragma once
// The integer functions that instructions compute, on single numbers.
#include "Match/Facts.h"
#include <optional>

namespace ptxray {

/// What the arithmetic of an instruction with integers or predicates gives, cut to its type; nothing for all others.
std::optional<uint64_t> constantResult(const Computation &computation, llvm::ArrayRef<uint64_t> sources);

} // namespace ptxray
