#include "Diagnostics/RuleLevels.h"

namespace ptxray {

RuleLevel RuleLevels::of(DiagId id) const {
  return levels.empty() ? RuleLevel::Default : levels[static_cast<size_t>(id)];
}

void RuleLevels::set(DiagId id, RuleLevel level) {
  levels.resize(allDiagInfos().size());
  levels[static_cast<size_t>(id)] = level;
}

bool RuleLevels::wantsPedantic() const {
  for (size_t i = 0; i < levels.size(); ++i)
    if (allDiagInfos()[i].level == Severity::Pedantic && levels[i] != RuleLevel::Default && levels[i] != RuleLevel::Off)
      return true;
  return false;
}

} // namespace ptxray
