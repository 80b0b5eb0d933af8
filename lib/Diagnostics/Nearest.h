#pragma once
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace ptxray {

/// Finds what a misspelt word was meant to be: the candidate with the fewest letters to change. Two letters swapped
/// count as one, and another case as none.
class Nearest {
public:
  /// A candidate that differs in `limit` letters is too far.
  Nearest(llvm::StringRef written, unsigned limit) : written(written), distance(limit) {}
  /// Whether this is the nearest so far.
  bool offer(llvm::StringRef candidate);
  /// Empty: none is near.
  llvm::StringRef best() const { return nearest; }

private:
  llvm::StringRef written, nearest;
  unsigned distance;
};

/// `; did you mean ...?`, or nothing when no candidate is near.
std::string didYouMean(llvm::StringRef written, llvm::ArrayRef<llvm::StringRef> candidates);

/// The same among the rules.
std::string didYouMeanRule(llvm::StringRef written);

} // namespace ptxray
