// Counts findings by phase while they are added.
#include "Match/Judgement.h"
#include <cassert>

namespace ptxray {

Finding &Judgement::add(Phase phase, DiagId id, FindingPlace place) {
  Finding &f = findings.emplace_back();
  f.id = id;
  f.severity = info(id).level;
  f.phase = phase;
  f.place = place;
  f.form = form;
  weigh(f.severity == Severity::Error ? phase : Phase::Warning);
  return f;
}

void Judgement::weigh(Phase phase, size_t count) {
  uint16_t &weight = score[static_cast<unsigned>(phase)];
  assert(weight + count <= UINT16_MAX && "an instruction has few operands, each with few findings");
  weight += count;
}

} // namespace ptxray
