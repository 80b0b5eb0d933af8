#pragma once
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace ptxray {

/// `; did you mean ...?`, or nothing when no candidate is near.
std::string didYouMean(llvm::StringRef written, llvm::ArrayRef<llvm::StringRef> candidates);

/// The same among the rules.
std::string didYouMeanRule(llvm::StringRef written);

} // namespace ptxray
