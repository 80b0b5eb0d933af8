#pragma once
// These functions do what the steps make of numbers of one lane.
#include "Semantics/Recipe.h"

namespace ptxray {

/// The result of a step that depends on nothing but numbers of its lane.
Value computed(const RecipeStep &step, llvm::ArrayRef<Value> args);
/// Returns what a GPU gives for an approximation, as bits of the type of its first argument; none: it is not known.
std::optional<Bits> approximated(const RecipeStep &step, llvm::ArrayRef<Bits> codes, bool flushes, bool isFull);

} // namespace ptxray
