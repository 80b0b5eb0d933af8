// Implements Myers's algorithm, which finds the shortest sequence of insertions and deletions from one list to the
// other.
#include "Compare/Align.h"
#include <algorithm>

namespace ptxray {

using Pairs = std::vector<std::pair<uint32_t, uint32_t>>;

/// Returns the index pairs on the shortest path. Stores the furthest position on each diagonal for each number of
/// edits, to trace the path back.
static Pairs shortestWay(llvm::ArrayRef<uint32_t> a, llvm::ArrayRef<uint32_t> b) {
  constexpr int mostEdits = 3000;
  const int n = static_cast<int>(a.size()), m = static_cast<int>(b.size());
  const int most = std::min(n + m, mostEdits);
  std::vector<std::vector<int>> reached; // indexed by number of edits, then by diagonal: from -edits, in steps of 2
  auto at = [&](int edits, int diagonal) { return reached[edits][(diagonal + edits) / 2]; };
  auto comesDown = [&](int edits, int diagonal) {
    return diagonal == -edits || (diagonal != edits && at(edits - 1, diagonal - 1) < at(edits - 1, diagonal + 1));
  };
  int edits = 0;
  for (bool isDone = false; !isDone; ++edits) {
    if (edits > most)
      return {};
    std::vector<int> now;
    for (int diagonal = -edits; diagonal <= edits; diagonal += 2) {
      int x = edits == 0                   ? 0
              : comesDown(edits, diagonal) ? at(edits - 1, diagonal + 1)
                                           : at(edits - 1, diagonal - 1) + 1;
      while (x < n && x - diagonal < m && x >= 0 && x - diagonal >= 0 && a[x] == b[x - diagonal])
        ++x;
      isDone |= x >= n && x - diagonal >= m && diagonal == n - m;
      now.push_back(x);
    }
    reached.push_back(std::move(now));
  }
  Pairs pairs;
  int x = n, y = m;
  for (int left = edits - 1; left > 0; --left) {
    const int diagonal = x - y, from = comesDown(left, diagonal) ? diagonal + 1 : diagonal - 1;
    const int before = at(left - 1, from), begin = from > diagonal ? before : before + 1;
    for (; x > begin; --x, --y)
      pairs.emplace_back(x - 1, y - 1);
    x = before, y = before - from;
  }
  for (; x > 0 && y > 0; --x, --y)
    pairs.emplace_back(x - 1, y - 1);
  std::reverse(pairs.begin(), pairs.end());
  return pairs;
}

Pairs aligned(llvm::ArrayRef<uint32_t> a, llvm::ArrayRef<uint32_t> b) {
  const size_t shorter = std::min(a.size(), b.size());
  size_t head = 0, tail = 0;
  while (head < shorter && a[head] == b[head])
    ++head;
  while (tail < shorter - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail])
    ++tail;
  Pairs pairs;
  for (uint32_t i = 0; i < head; ++i)
    pairs.emplace_back(i, i);
  for (auto [x, y] : shortestWay(a.slice(head, a.size() - head - tail), b.slice(head, b.size() - head - tail)))
    pairs.emplace_back(x + head, y + head);
  for (size_t i = tail; i > 0; --i)
    pairs.emplace_back(a.size() - i, b.size() - i);
  return pairs;
}

} // namespace ptxray
