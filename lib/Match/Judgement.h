#pragma once
// A judgement of one form: its findings, and a score that measures how near the form is.
#include "Match/Finding.h"
#include <array>
#include <vector>

namespace ptxray {

struct Opcode;

struct Judgement {
  explicit Judgement(uint32_t form) : form(form) {}

  template <typename... Args> Finding &report(Phase phase, IdFor<Args...> id, FindingPlace place, const Args &...args) {
    Finding &f = add(phase, id.value, place);
    (f.add(args), ...);
    return f;
  }
  /// Adds a finding. The caller adds its arguments.
  Finding &add(Phase phase, DiagId id, FindingPlace place);
  /// Increases the distance of the form without a finding.
  void weigh(Phase phase, size_t count = 1);
  uint16_t weight(Phase phase) const { return score[static_cast<unsigned>(phase)]; }
  bool isPerfect() const { return score == std::array<uint16_t, phaseCount>(); }

  uint32_t form;
  std::vector<Finding> findings;
  // Indexed by phase; a form with a lower number in the first phase is nearer.
  std::array<uint16_t, phaseCount> score = {};
};

/// Returns the findings of one form to report: each of them once, and only errors if there are any.
std::vector<Finding> selectFindings(std::vector<Finding> found, const Opcode &opcode);

} // namespace ptxray
