#pragma once
// Finds the pages of rules and concepts that mention an instruction.
#include "Pages/Page.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace ptxray {

/// Returns the first sentence of a page after its title and its alternative names.
std::string firstSentence(llvm::StringRef page);

/// Returns the rules whose example contains the instruction, shortest example first. Short examples are the most
/// specific.
PageSection relatedRules(llvm::StringRef mnemonic);
/// Returns the concepts whose page mentions the instruction or one of the words.
PageSection relatedConcepts(llvm::StringRef mnemonic, llvm::ArrayRef<llvm::StringRef> words);

} // namespace ptxray
