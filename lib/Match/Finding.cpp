// Creates findings about the words of an opcode.
#include "Match/Finding.h"

namespace ptxray {

Finding makeWordFinding(DiagId id, FindingPlace place) {
  Finding f;
  f.id = id;
  f.severity = info(id).level;
  f.phase = f.severity == Severity::Error ? Phase::Qualifier : Phase::Warning;
  f.place = place;
  return f;
}

} // namespace ptxray
