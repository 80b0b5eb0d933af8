#pragma once
// Displays the time lines of kernels (`Pictures/Timeline.h`) for `ptxray hazards`, as text, JSON or SVG.
#include "Diagnostics/Diagnostic.h"
#include "Pictures/Timeline.h"

namespace llvm {
class raw_ostream;
}

namespace ptxray {

/// The time lines of all functions of a module with asynchronous operations, or of the one with that name.
struct Timelines {
  std::vector<Timeline> all;
  bool hasFunction = false; // the module has a function, or one with that name
};
/// Returns nothing if the module has errors.
std::optional<Timelines> timelinesOf(const SourceBuffer &source, std::optional<llvm::StringRef> wanted);

/// Writes a line for each event in sections. Equal events share a line.
void writeTimelineText(llvm::ArrayRef<Timeline> timelines, llvm::raw_ostream &os);
void writeTimelineJson(llvm::ArrayRef<Timeline> timelines, llvm::raw_ostream &os);
/// Draws a column for each role, and arrows from signals on an mbarrier object to waits for it.
void writeTimelineSvg(llvm::ArrayRef<Timeline> timelines, llvm::raw_ostream &os);

} // namespace ptxray
