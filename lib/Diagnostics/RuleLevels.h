#pragma once
#include "Diagnostics/Diagnostic.h"

namespace ptxray {

/// A rule as a user names it: `missing-qualifier`, or only one of its kinds, `missing-qualifier:scope`.
struct RuleName {
  DiagId id;
  Kind kind = Kind::None; // none: all kinds

  bool covers(DiagId other, Kind otherKind) const { return id == other && (kind == Kind::None || kind == otherKind); }
  std::string text() const;
};

/// A rule, or why the text does not name one.
struct RuleLookup {
  std::optional<RuleName> rule;
  std::string problem;
};
RuleLookup findRule(llvm::StringRef text);
/// The same for a text that may also name a group or a pattern: `syntax`, `codegen-*`.
struct RulesLookup {
  llvm::SmallVector<RuleName, 1> rules;
  std::string problem;
};
RulesLookup findRules(llvm::StringRef text);

enum class RuleLevel : uint8_t { Default, On, Off, Warning, Error };

/// The levels that were set rule by rule. All other rules have the level of Diagnostics.def.
class RuleLevels {
public:
  RuleLevel of(DiagId id, Kind kind) const;
  /// The last setting wins; a rule without a kind stands for all of its kinds.
  void set(RuleName rule, RuleLevel level);
  /// Returns whether a rule about style is enabled even without `--pedantic`.
  bool wantsPedantic() const;

private:
  std::vector<std::pair<RuleName, RuleLevel>> asked;
};

} // namespace ptxray
