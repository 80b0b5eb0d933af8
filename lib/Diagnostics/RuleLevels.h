#pragma once
#include "Diagnostics/Diagnostic.h"

namespace ptxray {

/// A rule, or one of its kinds, as a user names it: `missing-qualifier`, `missing-qualifier:scope`.
struct RuleName {
  DiagId id;
  Kind kind = Kind::None; // None stands for all kinds

  bool covers(DiagId other, Kind otherKind) const { return id == other && (kind == Kind::None || kind == otherKind); }
  std::string text() const;
};

/// A rule, or the reason why a text names no rule.
struct RuleLookup {
  std::optional<RuleName> rule;
  std::string problem;
};
RuleLookup findRule(llvm::StringRef text);
/// Rules, or the reason why a text names none. Groups and patterns are allowed: `syntax`, `codegen-*`.
struct RulesLookup {
  llvm::SmallVector<RuleName, 1> rules;
  std::string problem;
};
RulesLookup findRules(llvm::StringRef text);

enum class RuleLevel : uint8_t { Default, On, Off, Warning, Error };

/// Levels of individual rules. All other rules have the level in Diagnostics.def.
class RuleLevels {
public:
  RuleLevel of(DiagId id, Kind kind) const;
  /// Sets the level of a rule, or of all its kinds if it names none. The last setting wins.
  void set(RuleName rule, RuleLevel level);
  /// Returns whether a rule about style is enabled even without `--pedantic`.
  bool wantsPedantic() const;

private:
  std::vector<std::pair<RuleName, RuleLevel>> asked;
};

} // namespace ptxray
