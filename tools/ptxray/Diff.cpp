#include "Diff.h"
#include "Source/Escape.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <algorithm>
#include <vector>

namespace ptxray {

using WholeLines = llvm::SmallVector<llvm::StringRef, 0>; // with their line ends

static WholeLines splitLines(llvm::StringRef text) {
  WholeLines lines;
  while (!text.empty()) {
    const size_t length = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.take_front(length));
    text = text.drop_front(length);
  }
  return lines;
}

/// Fixes rarely add or remove lines. If they do, everything from the first to the last change is one change.
static std::vector<LineChange> changesBetween(const WholeLines &before, const WholeLines &after) {
  std::vector<LineChange> changes;
  if (before.size() == after.size()) {
    for (size_t i = 0; i < before.size(); ++i) {
      if (before[i] == after[i])
        continue;
      if (!changes.empty() && changes.back().fromEnd == i)
        ++changes.back().fromEnd, ++changes.back().toEnd;
      else
        changes.push_back({i, i + 1, i, i + 1});
    }
    return changes;
  }
  const size_t shorter = std::min(before.size(), after.size());
  size_t head = 0, tail = 0;
  while (head < shorter && before[head] == after[head])
    ++head;
  while (tail < shorter - head && before[before.size() - 1 - tail] == after[after.size() - 1 - tail])
    ++tail;
  return {{head, before.size() - tail, head, after.size() - tail}};
}

/// Removes equal lines at both ends of each change, and empty changes.
static void trim(std::vector<LineChange> &changes, const WholeLines &before, const WholeLines &after) {
  for (LineChange &change : changes) {
    while (change.from < change.fromEnd && change.to < change.toEnd && before[change.from] == after[change.to])
      ++change.from, ++change.to;
    while (change.from < change.fromEnd && change.to < change.toEnd &&
           before[change.fromEnd - 1] == after[change.toEnd - 1])
      --change.fromEnd, --change.toEnd;
  }
  llvm::erase_if(changes,
                 [](const LineChange &change) { return change.from == change.fromEnd && change.to == change.toEnd; });
}

static std::string render(llvm::StringRef path, const WholeLines &oldLines, const WholeLines &newLines,
                          const std::vector<LineChange> &changes) {
  constexpr size_t context = 3;
  const std::string name = escaped(path);
  std::string out = "--- a/" + name + "\n+++ b/" + name + "\n";
  auto put = [&out](char mark, llvm::StringRef line) {
    out += mark;
    out += line;
    if (!line.ends_with("\n"))
      out += "\n\\ No newline at end of file\n";
  };
  for (size_t i = 0; i < changes.size();) {
    size_t last = i; // changes with overlapping contexts form one hunk
    while (last + 1 < changes.size() && changes[last + 1].from - changes[last].fromEnd <= 2 * context)
      ++last;
    const size_t lead = std::min(context, changes[i].from);
    const size_t trail = std::min(context, oldLines.size() - changes[last].fromEnd);
    const size_t from = changes[i].from - lead, fromEnd = changes[last].fromEnd + trail;
    const size_t to = changes[i].to - lead, toEnd = changes[last].toEnd + trail;
    out += "@@ -" + std::to_string(from + (fromEnd > from)) + "," + std::to_string(fromEnd - from) + " +" +
           std::to_string(to + (toEnd > to)) + "," + std::to_string(toEnd - to) + " @@\n";
    size_t at = from;
    for (; i <= last; ++i) {
      for (; at < changes[i].from; ++at)
        put(' ', oldLines[at]);
      for (; at < changes[i].fromEnd; ++at)
        put('-', oldLines[at]);
      for (size_t line = changes[i].to; line < changes[i].toEnd; ++line)
        put('+', newLines[line]);
    }
    for (; at < fromEnd; ++at)
      put(' ', oldLines[at]);
  }
  return out;
}

std::string diffTexts(llvm::StringRef path, llvm::StringRef before, llvm::StringRef after) {
  const WholeLines oldLines = splitLines(before), newLines = splitLines(after);
  return render(path, oldLines, newLines, changesBetween(oldLines, newLines));
}

std::string diffTexts(llvm::StringRef path, llvm::StringRef before, llvm::StringRef after,
                      std::vector<LineChange> changes) {
  const WholeLines oldLines = splitLines(before), newLines = splitLines(after);
  trim(changes, oldLines, newLines);
  return render(path, oldLines, newLines, changes);
}

} // namespace ptxray
