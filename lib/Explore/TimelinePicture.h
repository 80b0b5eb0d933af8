#pragma once
// The time lines of kernels (`Hazards/Timeline.h`) for people and programs: `ptxray hazards`.
#include "Diagnostics/Diagnostic.h"
#include "Hazards/Timeline.h"

namespace llvm {
class raw_ostream;
}

namespace ptxray {

/// Of the functions of a module that have asynchronous operations, or of the one of that name.
struct Timelines {
  std::vector<Timeline> all;
  bool hasFunction = false; // of that name, or any
};
/// Nothing: the module has errors.
std::optional<Timelines> timelinesOf(const SourceBuffer &source, std::optional<llvm::StringRef> wanted);

/// A line for each event, equal ones together, in sections.
void writeTimelineText(llvm::ArrayRef<Timeline> timelines, llvm::raw_ostream &os);
void writeTimelineJson(llvm::ArrayRef<Timeline> timelines, llvm::raw_ostream &os);
/// A column for each role, and arrows from what signals a barrier object to who waits for it.
void writeTimelineSvg(llvm::ArrayRef<Timeline> timelines, llvm::raw_ostream &os);

} // namespace ptxray
