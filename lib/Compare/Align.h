#pragma once
// Finds the longest common subsequence of two lists.
#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <utility>
#include <vector>

namespace ptxray {

/// Returns the index pairs of equal elements that appear in the same order in both lists. Finds the maximum number of
/// pairs, unless the lists differ in more than a few thousand elements. In that case only common prefixes and suffixes
/// count.
std::vector<std::pair<uint32_t, uint32_t>> aligned(llvm::ArrayRef<uint32_t> a, llvm::ArrayRef<uint32_t> b);

} // namespace ptxray
