#pragma once
// The control-flow graph of a function for display and for programs: blocks with their lines, edges, dominators and
// loops. Also states whether all lanes of a warp execute a block, and lists its live registers.
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

/// A register whose value is read later.
struct ShownRegister {
  std::string name;
  std::string numbers;    // possible values: `tile + 0 to 508 in steps of 4`; empty for any
  const char *lanes = ""; // whether lanes have the same value or different ones; empty if unknown
  bool isWritten = true;  // written on all paths to the block
};
/// A block with everything that is displayed for it.
struct ShownBlock {
  uint32_t firstLine = 0, lastLine = 0;
  std::vector<std::string> text; // its lines
  std::vector<uint32_t> to;
  bool leaves = false, aborts = false, isReached = true;
  std::optional<uint32_t> dominator, postDominator, loop; // block indices; `loop` is the header of the innermost loop
  const char *lanes = "all";                              // which lanes execute it: all, perhaps some, certainly some
  std::vector<ShownRegister> live; // registers that are live at its beginning, on all edges to it
  size_t liveCount = 0;            // may exceed the length of `live`, which is limited
};
/// The maximum number of 32-bit registers that are live at the same time.
struct ShownPressure {
  uint32_t registers = 0, line = 0; // 0 if unknown
  std::optional<uint64_t> limit;    // `.maxnreg`
};
struct ShownGraph {
  std::string function;
  std::vector<ShownBlock> blocks;
  ShownPressure pressure;
};
/// Returns the graphs of all functions of a module, or of the one with that name. Returns nothing if the module has
/// errors.
std::optional<std::vector<ShownGraph>> shownGraphs(const SourceBuffer &source, std::optional<llvm::StringRef> wanted);

/// Writes a line for each function: its maximum register pressure, and where it occurs.
void writePressure(llvm::ArrayRef<ShownGraph> graphs, llvm::StringRef path, llvm::raw_ostream &os);
void writeDot(llvm::ArrayRef<ShownGraph> graphs, llvm::raw_ostream &os);
void writeJson(llvm::ArrayRef<ShownGraph> graphs, llvm::raw_ostream &os);
/// Draws the blocks one below the other in source order, with forward edges on the right and backward edges on the
/// left.
void writeSvg(llvm::ArrayRef<ShownGraph> graphs, llvm::raw_ostream &os);

} // namespace ptxray
