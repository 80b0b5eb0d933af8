#include "Binaries.h"
#include "Pictures/TimelinePicture.h"

namespace ptxray {

static int runHazards(const Arguments &arguments) {
  const llvm::StringRef path = arguments.operands.front();
  const OneText text = openText(path, arguments);
  if (!text.source)
    return usageError("cannot read `" + path.str() + "`: " + text.problem);
  const std::optional<llvm::StringRef> wanted = arguments.value("--kernel");
  const std::optional<Timelines> timelines = timelinesOf(*text.source, wanted);
  if (!timelines)
    return faultyInput(path);
  if (!timelines->hasFunction)
    return usageError(wanted ? "no function `" + wanted->str() + "` has a body" : "no function has a body");
  const llvm::StringRef format = arguments.value("--format").value_or("text");
  if (format == "text" && timelines->all.empty())
    llvm::outs() << "no asynchronous operations\n";
  (format == "svg"    ? writeTimelineSvg
   : format == "json" ? writeTimelineJson
                      : writeTimelineText)(timelines->all, llvm::outs());
  return Clean;
}

Command hazardsCommand() {
  return {.name = "hazards",
          .summary = "show the timeline of kernels: asynchronous operations, barriers, and waits",
          .syntax = {.operands = "FILE|-",
                     .fewest = 1,
                     .most = 1,
                     .options = {{"--format", "text|json|svg", "output format"},
                                 {"--kernel", "NAME", "only this function"},
                                 entryOption()}},
          .run = runHazards};
}

} // namespace ptxray
