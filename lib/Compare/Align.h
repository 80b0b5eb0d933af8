#pragma once
// Finds the longest common part of two lists.
#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <utility>
#include <vector>

namespace ptxray {

/// Returns the places of equal elements that are in the same order in both lists: as many as possible, unless the lists
/// differ in more than some thousand places. Then only what is equal at both ends counts.
std::vector<std::pair<uint32_t, uint32_t>> aligned(llvm::ArrayRef<uint32_t> a, llvm::ArrayRef<uint32_t> b);

} // namespace ptxray
