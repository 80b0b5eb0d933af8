#include "Check/Session.h"
#include "Check/JudgeFragment.h"

namespace ptxray {

Session::Session() = default;
Session::~Session() = default;

/// Discards all fragments if they use too much memory. A checked fragment takes several kilobytes, or more if it is
/// long.
void Session::limitFragments() {
  constexpr size_t most = 1 << 12, mostBytes = 1 << 22;
  size_t bytes = 0;
  for (const auto &fragment : fragments)
    bytes += fragment.getKeyLength();
  if (fragments.size() > most || bytes > mostBytes)
    fragments.clear();
}

void Session::limit(size_t bytes) {
  // All kernels of a large library have several thousand spellings. A verdict takes about one kilobyte.
  constexpr size_t mostVerdicts = 1 << 15, mostSpellings = 1 << 14, mostSpelled = 1 << 20, largestText = 1 << 22;
  if (bytes <= largestText && parser.spellings() <= mostSpellings && parser.spelledBytes() <= mostSpelled &&
      knowledge.size() <= mostVerdicts)
    return;
  parser.forget();
  const AdviceBudget budget = knowledge.budget; // sources in other languages consist of many PTX texts
  knowledge = Knowledge();                      // depends on the parser's numbers
  knowledge.budget = budget;
  room = std::make_unique<ModuleRoom>(parser.ast());
}

} // namespace ptxray
