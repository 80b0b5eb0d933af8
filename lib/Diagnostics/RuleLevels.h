#pragma once
#include "Diagnostics/Diagnostic.h"

namespace ptxray {

/// A rule as a user names it: `missing-qualifier`, or one kind of it, `missing-qualifier:scope`.
struct RuleName {
  DiagId id;
  Kind kind = Kind::None; // none: all kinds

  bool covers(DiagId other, Kind otherKind) const { return id == other && (kind == Kind::None || kind == otherKind); }
  std::string text() const;
};

/// A rule, or why the text names none.
struct RuleLookup {
  std::optional<RuleName> rule;
  std::string problem;
};
RuleLookup findRule(llvm::StringRef text);
/// The same, of what may also be a group or a pattern: `syntax`, `codegen-*`.
struct RulesLookup {
  llvm::SmallVector<RuleName, 1> rules;
  std::string problem;
};
RulesLookup findRules(llvm::StringRef text);

enum class RuleLevel : uint8_t { Default, On, Off, Warning, Error };

/// What was asked for rule by rule. The others are as Diagnostics.def says.
class RuleLevels {
public:
  RuleLevel of(DiagId id, Kind kind) const;
  /// What is set last counts; a rule without a kind speaks for all of its kinds.
  void set(RuleName rule, RuleLevel level);
  /// Whether a rule about bad style is wanted even without `--pedantic`.
  bool wantsPedantic() const;

private:
  std::vector<std::pair<RuleName, RuleLevel>> asked;
};

} // namespace ptxray
