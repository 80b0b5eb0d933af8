#pragma once
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace ptxray {

/// Finds the word that a misspelt word is meant to be: the candidate that needs the fewest changes of letters. Two
/// swapped letters count as one change, a difference in case as none.
class Nearest {
public:
  /// Candidates that differ in `limit` letters or more are ignored.
  Nearest(llvm::StringRef written, unsigned limit) : written(written), distance(limit) {}
  /// Returns whether this candidate is the nearest so far.
  bool offer(llvm::StringRef candidate);
  /// Returns the nearest candidate; empty if none is near enough.
  llvm::StringRef best() const { return nearest; }
  /// Returns the nearest candidate; empty if another one is equally near, which makes the meaning ambiguous.
  llvm::StringRef only() const { return isTied ? llvm::StringRef() : nearest; }

private:
  llvm::StringRef written, nearest;
  unsigned distance;
  bool isTied = false;
};

/// Returns the text `; did you mean ...?`, or nothing if no candidate is near.
std::string didYouMean(llvm::StringRef written, llvm::ArrayRef<llvm::StringRef> candidates);

/// Returns a suggestion for the name of a rule.
std::string didYouMeanRule(llvm::StringRef written);

} // namespace ptxray
