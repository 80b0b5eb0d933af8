#pragma once
// Sorts elements by their location in the source.
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <vector>

namespace ptxray {

/// Sorts the elements from index `from`, in linear time if they consist of two sorted runs.
template <typename T> void mergeByPlace(std::vector<T> &all, size_t from = 0) {
  const auto isBefore = [](const T &a, const T &b) { return a.range.begin < b.range.begin; };
  const auto begin = all.begin() + static_cast<ptrdiff_t>(from);
  const auto second = std::is_sorted_until(begin, all.end(), isBefore);
  if (second == all.end())
    return;
  if (!std::is_sorted(second, all.end(), isBefore))
    std::stable_sort(second, all.end(), isBefore);
  std::inplace_merge(begin, second, all.end(), isBefore);
}

} // namespace ptxray
