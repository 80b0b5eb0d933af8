#pragma once
// Some words are likely to be written in place of others: this says how near they are to each other.
#include "Isa/Isa.h"
#include "llvm/ADT/ArrayRef.h"

namespace ptxray {

/// Returns how far one word is from another: 2 for words that are easily mistaken for each other, 7 at most.
unsigned distanceOfWords(isa::WordId from, isa::WordId to);
/// Sorts the words so that those come first that are most like the written one.
void sortByNearness(llvm::MutableArrayRef<isa::WordId> words, isa::WordId written);

} // namespace ptxray
