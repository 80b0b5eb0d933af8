#pragma once
#include "Diagnostics/Diagnostic.h"

namespace ptxray {

enum class RuleLevel : uint8_t { Default, On, Off, Warning, Error };

/// What was asked for rule by rule. The others are as Diagnostics.def says.
class RuleLevels {
public:
  RuleLevel of(DiagId id) const;
  void set(DiagId id, RuleLevel level);
  /// Whether a rule about bad style is wanted even without `--pedantic`.
  bool wantsPedantic() const;

private:
  std::vector<RuleLevel> levels; // by DiagId; empty: nothing was asked
};

} // namespace ptxray
