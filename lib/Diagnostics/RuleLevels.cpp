#include "Diagnostics/RuleLevels.h"
#include "Diagnostics/Nearest.h"
#include "Diagnostics/RuleGroups.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

std::string RuleName::text() const {
  const std::string rule = info(id).id.str();
  return kind == Kind::None ? rule : rule + ":" + kindText(kind).str();
}

RuleLookup findRule(llvm::StringRef text) {
  const auto [rule, kind] = text.split(':');
  const std::optional<DiagId> id = findDiag(rule);
  if (!id)
    return {std::nullopt, "no rule `" + rule.str() + "`" + didYouMeanRule(rule)};
  if (!text.contains(':'))
    return {RuleName{*id}, ""};
  llvm::SmallVector<llvm::StringRef> known;
  for (Kind one : kindsOf(*id))
    known.push_back(kindText(one));
  if (known.empty())
    return {std::nullopt, "rule `" + rule.str() + "` has no kinds"};
  if (!llvm::is_contained(known, kind))
    return {std::nullopt, "rule `" + rule.str() + "` has no kind `" + kind.str() + "`" + didYouMean(kind, known)};
  return {RuleName{*id, findKind(kind)}, ""};
}

RulesLookup findRules(llvm::StringRef text) {
  RulesLookup found;
  if (!text.contains(':'))
    for (const DiagId id : matchRules(text))
      found.rules.push_back({id});
  if (!found.rules.empty())
    return found;
  const auto [rule, problem] = findRule(text);
  if (rule)
    found.rules.push_back(*rule);
  found.problem = problem;
  return found;
}

RuleLevel RuleLevels::of(DiagId id, Kind kind) const {
  for (const auto &[rule, level] : llvm::reverse(asked))
    if (rule.covers(id, kind))
      return level;
  return RuleLevel::Default;
}

void RuleLevels::set(RuleName rule, RuleLevel level) {
  llvm::erase_if(asked, [rule](const auto &earlier) { return rule.covers(earlier.first.id, earlier.first.kind); });
  asked.emplace_back(rule, level);
}

bool RuleLevels::wantsPedantic() const {
  return llvm::any_of(asked, [](const auto &one) {
    return info(one.first.id).level == Severity::Pedantic && one.second != RuleLevel::Off;
  });
}

} // namespace ptxray
