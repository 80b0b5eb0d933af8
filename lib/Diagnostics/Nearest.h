#pragma once
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace ptxray {

/// Finds the intended word for a misspelt one: the candidate that needs the fewest changes of letters. Two swapped
/// letters count as one change, and differences in case do not count.
class Nearest {
public:
  /// Candidates that differ in `limit` letters or more are ignored.
  Nearest(llvm::StringRef written, unsigned limit) : written(written), distance(limit) {}
  /// Returns whether this candidate is the nearest so far.
  bool offer(llvm::StringRef candidate);
  /// Returns the nearest candidate; empty if none is similar enough.
  llvm::StringRef best() const { return nearest; }
  /// Returns the nearest candidate; empty if another one is equally near, because the intention is then ambiguous.
  llvm::StringRef only() const { return isTied ? llvm::StringRef() : nearest; }

private:
  llvm::StringRef written, nearest;
  unsigned distance;
  bool isTied = false;
};

/// Returns the text `; did you mean ...?`, or an empty string if no candidate is similar.
std::string didYouMean(llvm::StringRef written, llvm::ArrayRef<llvm::StringRef> candidates);

/// Returns a suggestion for the name of a rule.
std::string didYouMeanRule(llvm::StringRef written);

} // namespace ptxray
