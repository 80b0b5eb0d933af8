#pragma once
// The graph of a function for people and programs: blocks with their lines, where control goes, what encloses what, and
// whether all lanes of a warp come there.
#include "Diagnostics/Diagnostic.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>
#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
}

namespace ptxray {

class SourceBuffer;

/// A block with all that is shown of it.
struct ShownBlock {
  uint32_t firstLine = 0, lastLine = 0;
  std::vector<std::string> text; // its lines
  std::vector<uint32_t> to;
  bool leaves = false, aborts = false, isReached = true;
  std::optional<uint32_t> dominator, postDominator, loop; // blocks; the header of the innermost loop around it
  const char *lanes = "all";                              // all, perhaps some, certainly some
};
struct ShownGraph {
  std::string function;
  std::vector<ShownBlock> blocks;
};
/// Of the functions of a module, or of the one of that name.
std::vector<ShownGraph> shownGraphs(const SourceBuffer &source, std::optional<llvm::StringRef> wanted,
                                    DiagnosticSink &sink);

void writeDot(llvm::ArrayRef<ShownGraph> graphs, llvm::raw_ostream &os);
void writeJson(llvm::ArrayRef<ShownGraph> graphs, llvm::raw_ostream &os);
/// One below the other, in the order of the text: forward edges on the right, backward ones on the left.
void writeSvg(llvm::ArrayRef<ShownGraph> graphs, llvm::raw_ostream &os);

} // namespace ptxray
