#include "Binaries.h"
#include "Pictures/GraphPicture.h"

namespace ptxray {

static int runGraph(const Arguments &arguments) {
  const llvm::StringRef path = arguments.operands.front();
  const OneText text = openText(path, arguments);
  if (!text.source)
    return usageError("cannot read `" + path.str() + "`: " + text.problem);
  const std::optional<llvm::StringRef> wanted = arguments.value("--kernel");
  const std::optional<std::vector<ShownGraph>> graphs = shownGraphs(*text.source, wanted);
  if (!graphs)
    return faultyInput(path);
  if (graphs->empty())
    return usageError(wanted ? "no function `" + wanted->str() + "` has a body" : "no function has a body");
  if (arguments.has("--pressure")) {
    writePressure(*graphs, path, llvm::outs());
    return Clean;
  }
  const llvm::StringRef format = arguments.value("--format").value_or("dot");
  (format == "svg" ? writeSvg : format == "json" ? writeJson : writeDot)(*graphs, llvm::outs());
  return Clean;
}

Command graphCommand() {
  return {.name = "graph",
          .summary = "show the control flow of functions, with the active lanes and the values of registers",
          .syntax = {.operands = "FILE|-",
                     .fewest = 1,
                     .most = 1,
                     .options = {{"--format", "dot|svg|json", "output format"},
                                 {"--kernel", "NAME", "only this function"},
                                 {"--pressure", "", "show the highest register pressure and its location"},
                                 entryOption()}},
          .run = runGraph};
}

} // namespace ptxray
