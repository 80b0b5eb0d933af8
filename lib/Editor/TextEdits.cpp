#include "Editor/TextEdits.h"
#include <algorithm>

namespace ptxray {

using llvm::StringRef;

namespace {

/// Returns the lines, including their ends.
std::vector<StringRef> linesOf(StringRef text) {
  std::vector<StringRef> lines;
  while (!text.empty()) {
    const size_t length = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.take_front(length));
    text = text.drop_front(length);
  }
  return lines;
}

/// Returns the distances to the next equal lines, with the smallest sum in a window.
std::pair<size_t, size_t> nextEqual(llvm::ArrayRef<StringRef> before, llvm::ArrayRef<StringRef> after) {
  constexpr size_t window = 100;
  for (size_t sum = 1; sum <= 2 * window; ++sum)
    for (size_t i = sum > window ? sum - window : 0; i <= std::min(sum, window); ++i) {
      const size_t j = sum - i;
      if (i < before.size() && j < after.size() && before[i] == after[j] && !before[i].trim().empty())
        return {i, j};
    }
  return {before.size(), after.size()};
}

} // namespace

std::vector<Edit> editsBetween(StringRef before, StringRef after) {
  const std::vector<StringRef> oldLines = linesOf(before), newLines = linesOf(after);
  llvm::ArrayRef<StringRef> from(oldLines), to(newLines);
  std::vector<Edit> edits;
  while (!from.empty() || !to.empty()) {
    if (!from.empty() && !to.empty() && from.front() == to.front()) {
      from = from.drop_front();
      to = to.drop_front();
      continue;
    }
    const auto [gone, added] = nextEqual(from, to);
    const size_t begin = from.empty() ? before.size() : from.front().begin() - before.begin();
    std::string text;
    for (const StringRef line : to.take_front(added))
      text += line;
    size_t end = begin;
    for (const StringRef line : from.take_front(gone))
      end += line.size();
    edits.push_back({{static_cast<uint32_t>(begin), static_cast<uint32_t>(end)}, SharedText(std::move(text))});
    from = from.drop_front(gone);
    to = to.drop_front(added);
  }
  return edits;
}

} // namespace ptxray
