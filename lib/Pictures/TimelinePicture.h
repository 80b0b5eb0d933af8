#pragma once
// Shows the time lines of kernels (`Pictures/Timeline.h`) to people and programs: `ptxray hazards`.
#include "Diagnostics/Diagnostic.h"
#include "Pictures/Timeline.h"

namespace llvm {
class raw_ostream;
}

namespace ptxray {

/// The time lines of all functions of a module with asynchronous operations, or of the one with that name.
struct Timelines {
  std::vector<Timeline> all;
  bool hasFunction = false; // of that name, or any
};
/// Nothing: the module has errors.
std::optional<Timelines> timelinesOf(const SourceBuffer &source, std::optional<llvm::StringRef> wanted);

/// Writes a line for each event, with equal ones together, in sections.
void writeTimelineText(llvm::ArrayRef<Timeline> timelines, llvm::raw_ostream &os);
void writeTimelineJson(llvm::ArrayRef<Timeline> timelines, llvm::raw_ostream &os);
/// Draws a column for each role, and arrows from signals on a barrier object to waits for it.
void writeTimelineSvg(llvm::ArrayRef<Timeline> timelines, llvm::raw_ostream &os);

} // namespace ptxray
