#pragma once
// A judgement holds what speaks against one form: the findings, and a score that says how near the form is.
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
  /// Adds a finding whose arguments follow.
  Finding &add(Phase phase, DiagId id, FindingPlace place);
  /// Makes the form less near without a finding.
  void weigh(Phase phase, size_t count = 1);
  uint16_t weight(Phase phase) const { return score[static_cast<unsigned>(phase)]; }
  bool isPerfect() const { return score == std::array<uint16_t, phaseCount>(); }

  uint32_t form;
  std::vector<Finding> findings;
  std::array<uint16_t, phaseCount> score = {}; // by phase; a form with less of the first is nearer
};

/// Returns the findings of one form that are told: each once, errors alone if there are any.
std::vector<Finding> selectFindings(std::vector<Finding> found, const Opcode &opcode);

} // namespace ptxray
