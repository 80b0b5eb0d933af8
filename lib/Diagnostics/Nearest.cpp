#include "Diagnostics/Nearest.h"
#include "Diagnostics/Diagnostic.h"
#include "llvm/ADT/SmallVector.h"
#include <algorithm>

namespace ptxray {

// Returns whether `b` is `a` with two letters swapped. It is the most common typo, but counts as two changes in the
// usual distance.
static bool swapsTwo(llvm::StringRef a, llvm::StringRef b) {
  if (a.size() != b.size())
    return false;
  auto [x, y] = std::mismatch(a.begin(), a.end(), b.begin());
  return a.end() - x >= 2 && x[0] == y[1] && x[1] == y[0] && std::equal(x + 2, a.end(), y + 2);
}

bool Nearest::offer(llvm::StringRef candidate) {
  if (distance == 0)
    return false; // none is nearer
  const unsigned here = written.equals_insensitive(candidate) ? 0
                        : swapsTwo(written, candidate)        ? 1
                                                              : written.edit_distance(candidate, true, distance);
  if (here == distance && !nearest.empty() && nearest != candidate)
    isTied = true;
  if (here >= distance)
    return false;
  isTied = false;
  nearest = candidate;
  distance = here;
  return true;
}

std::string didYouMean(llvm::StringRef written, llvm::ArrayRef<llvm::StringRef> candidates) {
  Nearest nearest(written, std::max<size_t>(2, written.size() / 3) + 1);
  for (llvm::StringRef candidate : candidates)
    nearest.offer(candidate);
  return nearest.best().empty() ? "" : "; did you mean `" + nearest.best().str() + "`?";
}

std::string didYouMeanRule(llvm::StringRef written) {
  llvm::SmallVector<llvm::StringRef> known;
  for (const DiagInfo &info : allDiagInfos())
    known.push_back(info.id);
  return didYouMean(written, known);
}

} // namespace ptxray
