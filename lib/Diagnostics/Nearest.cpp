#include "Diagnostics/Nearest.h"
#include "Diagnostics/Diagnostic.h"

namespace ptxray {

std::string didYouMean(llvm::StringRef written, llvm::ArrayRef<llvm::StringRef> candidates) {
  llvm::StringRef best;
  unsigned bestDistance = std::max<size_t>(2, written.size() / 3);
  for (llvm::StringRef candidate : candidates) {
    const unsigned distance = written.edit_distance(candidate, true, bestDistance);
    if (distance < bestDistance || (distance == bestDistance && best.empty())) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best.empty() ? "" : "; did you mean `" + best.str() + "`?";
}

std::string didYouMeanRule(llvm::StringRef written) {
  llvm::SmallVector<llvm::StringRef> known;
  for (const DiagInfo &info : allDiagInfos())
    known.push_back(info.id);
  return didYouMean(written, known);
}

} // namespace ptxray
