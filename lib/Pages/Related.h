#pragma once
// This finds the pages of rules and of concepts that speak of an instruction.
#include "Pages/Page.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace ptxray {

/// Returns the first sentence of a page, after its title and the other names that a concept has.
std::string firstSentence(llvm::StringRef page);

/// Returns the rules whose example has the instruction, those with the shortest example first, as they say most about
/// it.
PageSection relatedRules(llvm::StringRef mnemonic);
/// Returns the concepts whose page mentions the instruction, or one of these words.
PageSection relatedConcepts(llvm::StringRef mnemonic, llvm::ArrayRef<llvm::StringRef> words);

} // namespace ptxray
