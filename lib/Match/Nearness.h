#pragma once
// Measures how likely it is that one word is written instead of another.
#include "Isa/Isa.h"
#include "llvm/ADT/ArrayRef.h"

namespace ptxray {

/// Returns the distance between two words: 2 for words that are easily confused, and at most 7.
unsigned distanceOfWords(isa::WordId from, isa::WordId to);
/// Sorts the words by their similarity to the written word, the most similar first.
void sortByNearness(llvm::MutableArrayRef<isa::WordId> words, isa::WordId written);

} // namespace ptxray
