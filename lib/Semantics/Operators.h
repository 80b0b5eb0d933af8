#pragma once
// The operators of steps, applied to the numbers of one lane.
#include "Semantics/Recipe.h"

namespace ptxray {

/// Returns the result of a step that depends only on numbers of its lane.
Value computed(const RecipeStep &step, llvm::ArrayRef<Value> args);
/// Returns the GPU's approximation, as bits of the type of its first argument, or none if it is not known.
std::optional<Bits> approximated(const RecipeStep &step, llvm::ArrayRef<Bits> codes, bool flushes, bool isFull);

} // namespace ptxray
