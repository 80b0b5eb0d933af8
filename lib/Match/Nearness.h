#pragma once
// How near words are to each other: what is likely to be written in place of what.
#include "Isa/Isa.h"
#include "llvm/ADT/ArrayRef.h"

namespace ptxray {

/// How far one word is from another: 2 for words that are easily mistaken for each other, 7 at most.
unsigned distanceOfWords(isa::WordId from, isa::WordId to);
/// Those first that are most like the written one.
void sortByNearness(llvm::MutableArrayRef<isa::WordId> words, isa::WordId written);

} // namespace ptxray
