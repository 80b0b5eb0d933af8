// Findings about the words of an opcode alone.
#include "Match/Finding.h"

namespace ptxray {

Finding wordFinding(DiagId id, Place place, std::initializer_list<std::string> args) {
  Finding f;
  f.id = id;
  f.severity = info(id).level;
  f.phase = f.severity == Severity::Error ? Phase::Qualifier : Phase::Warning;
  f.place = place;
  f.args.assign(args.begin(), args.end());
  return f;
}

} // namespace ptxray
